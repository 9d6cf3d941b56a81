/** A repository with a first commit, and people of every standing around it. */
import { addCollaborator } from '#features/collaborators/add-collaborator.ts'
import { createRelease } from '#features/releases/create-release.ts'
import { uploadReleaseAsset } from '#features/releases/upload-release-asset.ts'
import type { SignedIn } from '#core/caller.ts'
import type { IncomingBytes } from '#core/operation.ts'
import type { Settings } from '#core/settings.ts'
import { makeWorld } from '../../world.ts'

export async function* pieces(...parts: (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield typeof part === 'string' ? new TextEncoder().encode(part) : part
}

export const file = (text: string, type: string | null = null): IncomingBytes => ({
  stream: pieces(text),
  type,
  length: Buffer.byteLength(text),
})

export async function makeReleaseWorld(
  options: { private?: boolean; settings?: Partial<Settings> } = {},
) {
  const world = await makeWorld(options.settings)
  const [ada, mel, otto, rita] = await Promise.all([
    world.user('ada'),
    world.user('mel'),
    world.user('otto'),
    world.user('rita'),
  ])
  const workspace = await world.workspace('acme', { owner: ada, members: [mel, otto, rita] })
  await world.write(
    (tx) =>
      void tx.db.run(`UPDATE workspaces SET base_permission = 'none' WHERE id = ?`, workspace.id),
  )
  const repo = await world.repo('acme/site', { private: options.private ?? false })
  const first = await world.commit(
    'acme/site',
    'main',
    { 'README.md': 'one\n' },
    { message: 'Begin' },
  )
  for (const [person, role] of [
    [mel, 'maintain'],
    [otto, 'write'],
    [rita, 'read'],
  ] as const) {
    await world.call(addCollaborator, ada, { repo: 'acme/site', invitee: person.username, role })
  }
  return {
    world,
    ada,
    mel,
    otto,
    rita,
    repo,
    first,
    release: (tag_name: string, change: Record<string, unknown> = {}, by: SignedIn = ada) =>
      world.call(createRelease, by, { repo: 'acme/site', tag_name, ...change }),
    upload: (id: string, name: string, text: string, by: SignedIn = ada) =>
      world.call(uploadReleaseAsset, by, { repo: 'acme/site', id, name }, { bytes: file(text) }),
  }
}
