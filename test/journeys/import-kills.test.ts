/** An import whose forge is killed in each of its stages brings what an uncut one brings. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { claim, OWNER, startForge, type ForgeProcess } from '../../scripts/support/forge.ts'
import { makeForgeWorld } from '../features/imports/forge-fixture.ts'
import { recordsOf } from '../system/imports/compare.ts'
import { EXECUTABLE, requireExecutable } from './forge.ts'

/** The forge is killed at the first request of each, before it has the answer. */
const MOMENTS = [
  /\/lamp$/,
  /\/lamp\.git\/info\/refs/,
  /\/labels/,
  /\/milestones/,
  /\/issues\?.*[?&]page=1/,
  /\/pulls\?.*[?&]page=1/,
  /\/user-attachments\//,
  /\/issues\/1\/comments/,
  /\/pulls\/\d+\/reviews/,
  /\/issues\/2\/timeline/,
  /\/releases/,
  /\/file$/,
] as const
const ENDED = new Set(['done', 'done_with_errors', 'failed', 'cancelled'])

const root = mkdtempSync(join(tmpdir(), 'hearth-import-kills-'))
const it = await makeForgeWorld({ issues: 7, comments: 12 })
const launch = (): Promise<ForgeProcess> =>
  startForge({
    executable: EXECUTABLE,
    data: join(root, 'data'),
    log: join(root, 'serve.log'),
    environment: { HEARTH_OUTBOUND_ALLOW: 'http://127.0.0.1' },
  })
let forge: ForgeProcess
let token: string
beforeAll(async () => {
  await requireExecutable()
  forge = await launch()
  token = (await claim(forge)).token
})
afterAll(async () => {
  await forge.kill()
  rmSync(root, { recursive: true, force: true })
})

const api = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
  const answer = await fetch(`${forge.url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
  return (await answer.json()) as T
}

type Import = { readonly id: string; readonly state: string; readonly errors: string[] }

async function takeAll(url: string, name: string, betweenLooks: () => Promise<void>) {
  const { id } = await api<Import>('POST', '/imports', {
    source: 'github_api',
    url,
    workspace: OWNER.workspace,
    name,
  })
  for (;;) {
    await betweenLooks()
    const now = await api<Import>('GET', `/imports/${id}`)
    if (ENDED.has(now.state)) return now
    await Bun.sleep(50)
  }
}

test('nothing comes twice and nothing is missing, whatever stage the forge is killed in', async () => {
  const left = new Set<RegExp>(MOMENTS)
  let isCutting = false
  let killed: { resolve: () => void } | null = null
  const peer = it.standIn('github_api', {
    files: true,
    onRequest: async (path) => {
      const moment = isCutting ? [...left].find((one) => one.test(path)) : undefined
      if (!moment) return
      left.delete(moment)
      const gone = Promise.withResolvers<void>()
      killed = gone
      await gone.promise
    },
  })
  try {
    const whole = await takeAll(peer.url, 'whole', async () => {})
    isCutting = true
    const cut = await takeAll(peer.url, 'cut', async () => {
      if (killed === null) return
      await forge.kill()
      killed.resolve()
      killed = null
      forge = await launch()
    })
    expect([...left]).toEqual([])
    expect({ ...cut, id: '' }).toMatchObject({ state: whole.state, errors: whole.errors })
    const records = async (name: string) =>
      JSON.stringify(await recordsOf(api, `${OWNER.workspace}/${name}`)).replaceAll(name, 'it')
    expect(JSON.parse(await records('cut'))).toEqual(JSON.parse(await records('whole')))
  } finally {
    await peer.close()
  }
})
