/** A served site with releases, for tests that upload and download files. */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { sweepBlobs } from '#core/blobs.ts'
import { createToken } from '#features/accounts/tokens/create-token.ts'
import { insertJob } from '#core/jobs.ts'
import { serveSite } from '../../web/visitor.ts'
import { makeReleaseWorld } from './fixture.ts'

export const repo = 'acme/site'
export const digest = (bytes: string | Uint8Array) =>
  createHash('sha256').update(bytes).digest('hex')

export async function makeServed(options: Parameters<typeof makeReleaseWorld>[0] = {}) {
  const all = await makeReleaseWorld(options)
  const { world, ada } = all
  const site = serveSite(world)
  const token = async (who = ada) =>
    `Bearer ${(await world.call(createToken, who, { name: 'ci', scopes: ['repo:write'] })).secret ?? ''}`
  const authorization = await token()
  const blobs = join(world.data, 'blobs')
  return {
    ...all,
    site,
    token,
    authorization,
    send: (id: string, query: string, body: BodyInit, headers: Record<string, string> = {}) =>
      fetch(`${site.url}/api/repos/acme/site/releases/${id}/assets?${query}`, {
        method: 'POST',
        body,
        headers: { authorization, ...headers },
      }),
    get: (path: string, headers: Record<string, string> = {}, method = 'GET') =>
      fetch(site.url + path, { method, headers, redirect: 'manual' }),
    /** Every file that is kept, and every one that still comes in. */
    kept: () =>
      (existsSync(blobs)
        ? readdirSync(blobs).flatMap((shard) => readdirSync(join(blobs, shard)))
        : []
      ).sort(),
    incoming: () =>
      existsSync(join(world.data, 'tmp/blobs')) ? readdirSync(join(world.data, 'tmp/blobs')) : [],
    sweep: async () => {
      await world.write((tx) => void insertJob(tx.db, sweepBlobs, null, tx.now_ms))
      await world.jobs()
    },
  }
}

/** The path of a URL of the API, as `site.url` is prefixed to it. */
export const pathOf = (url: string) => new URL(url).pathname
