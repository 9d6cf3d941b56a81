/** A workspace with a repository, people of every standing, and packages published into it. */
import { storeBlob } from '#core/blobs.ts'
import type { SignedIn } from '#core/caller.ts'
import type { Settings } from '#core/settings.ts'
import { createToken } from '#features/accounts/tokens/create-token.ts'
import { addCollaborator } from '#features/collaborators/add-collaborator.ts'
import { publishPackageVersion } from '#features/packages/publish-package-version.ts'
import { gzipSync } from 'node:zlib'
import { serveSite } from '../../web/visitor.ts'
import { makeWorld } from '../../world.ts'

export const workspace = 'acme'
export const npm = (package_name: string) => ({
  workspace,
  package_type: 'npm' as const,
  package_name,
})

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

/**
 * ada owns acme, mel and rita are members without rights to repositories of their own; otto may
 * write to the private repository acme/site, rita reads it. zoe is a stranger.
 */
export async function makePackageWorld(change: Partial<Settings> = {}) {
  const world = await makeWorld(change)
  const [ada, mel, otto, rita, zoe] = await Promise.all(
    ['ada', 'mel', 'otto', 'rita', 'zoe'].map((name) => world.user(name)),
  )
  if (!ada || !mel || !otto || !rita || !zoe) throw new Error('nobody')
  const { id } = await world.workspace(workspace, { owner: ada, members: [mel, otto, rita] })
  await world.write(
    (tx) => void tx.db.run(`UPDATE workspaces SET base_permission = 'none' WHERE id = ?`, id),
  )
  const repo = await world.repo('acme/site', { private: true })
  for (const [person, role] of [
    [otto, 'write'],
    [rita, 'read'],
  ] as const)
    await world.call(addCollaborator, ada, { repo: 'acme/site', invitee: person.username, role })
  return {
    world,
    ada,
    mel,
    otto,
    rita,
    zoe,
    repo,
    /** Publishes a version whose only file has this text. */
    publish: async (
      package_name: string,
      version: string,
      change: { text?: string; tags?: string[]; metadata?: Record<string, unknown> } = {},
      by: SignedIn = ada,
    ) => {
      const { text = `${package_name} ${version}`, tags = ['latest'], metadata = {} } = change
      const blob = await storeBlob(world.hearth, once(Buffer.from(text)), {
        maxBytes: 1e6,
        digests: ['sha1', 'sha512'],
      })
      return world.call(publishPackageVersion, by, {
        ...npm(package_name),
        publication: {
          version,
          digest: `sha256:${blob.sha256}`,
          metadata: { name: package_name, version, ...metadata },
          piece: JSON.stringify({ name: package_name, version }),
          files: [
            {
              path: `${package_name.split('/').at(-1)}-${version}.tgz`,
              sha256: blob.sha256,
              size: blob.size,
              digests: blob.digests,
              content_type: 'application/octet-stream',
            },
          ],
          tags,
        },
      })
    },
  }
}

/** The same, with a server, and tokens for its clients. */
export async function makeServedPackages(change: Partial<Settings> = {}) {
  const all = await makePackageWorld(change)
  const site = serveSite(all.world)
  const token = async (who = all.ada, scopes: string[] = ['packages:admin']): Promise<string> => {
    const made = await all.world.call(createToken, who, { name: 'ci', scopes })
    return made.secret ?? ''
  }
  return {
    ...all,
    site,
    token,
    send: (path: string, init: RequestInit & { token?: string } = {}): Promise<Response> => {
      const { token: secret, headers, ...rest } = init
      return fetch(site.url + path, {
        redirect: 'manual',
        ...rest,
        headers: {
          ...(secret === undefined ? {} : { authorization: `Bearer ${secret}` }),
          ...(headers as Record<string, string> | undefined),
        },
      })
    },
  }
}

/** One file as an entry of a tar archive. */
export function tarEntry(name: string, content: string | Uint8Array): Buffer {
  const bytes = Buffer.from(content)
  const header = Buffer.alloc(512)
  header.write(name, 0)
  header.write('0000644\0', 100)
  header.write('0000000\0', 108)
  header.write('0000000\0', 116)
  header.write(`${bytes.length.toString(8).padStart(11, '0')}\0`, 124)
  header.write('00000000000\0', 136)
  header.write('        ', 148)
  header.write('0', 156)
  header.write('ustar\x0000', 257)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return Buffer.concat([header, bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)])
}

/** A tarball as `npm pack` makes it. */
export const npmTarball = (manifest: object, files: Record<string, string> = {}): Buffer =>
  gzipSync(
    Buffer.concat([
      ...Object.entries(files).map(([name, text]) => tarEntry(`package/${name}`, text)),
      tarEntry('package/package.json', JSON.stringify(manifest)),
      Buffer.alloc(1024),
    ]),
  )
