/** Repositories with large files, and people with each role. */
import { createHash } from 'node:crypto'
import { addCollaborator } from '#features/collaborators/add-collaborator.ts'
import { storeLfsObject } from '#features/lfs/store-lfs-object.ts'
import type { SignedIn } from '#core/caller.ts'
import type { Settings } from '#core/settings.ts'
import { makeWorld } from '../../world.ts'

export const REPO = 'acme/site'
export const OTHER = 'acme/other'

export const oidOf = (text: string): string => createHash('sha256').update(text).digest('hex')
export const pointerOf = (text: string): string =>
  `version https://git-lfs.github.com/spec/v1\noid sha256:${oidOf(text)}\nsize ${text.length}\n`
export const fileOf = (text: string) => ({ oid: oidOf(text), size: text.length })

export const incoming = (text: string) => ({
  stream: (async function* () {
    yield new TextEncoder().encode(text)
  })(),
  type: null,
  length: null,
})

export async function makeLfsWorld(settings: Partial<Settings> = {}) {
  const world = await makeWorld(settings)
  const [ada, otto, mia, rita, eve] = await Promise.all(
    ['ada', 'otto', 'mia', 'rita', 'eve'].map((name) => world.user(name)),
  )
  if (!ada || !otto || !mia || !rita || !eve) throw new TypeError('five people')
  const workspace = await world.workspace('acme', { owner: ada, members: [mia, otto, rita] })
  await world.write(
    (tx) =>
      void tx.db.run(`UPDATE workspaces SET base_permission = 'none' WHERE id = ?`, workspace.id),
  )
  const repo = await world.repo(REPO, { private: true })
  await world.repo(OTHER, { private: true })
  await world.commit(REPO, 'main', { '.gitattributes': '*.psd filter=lfs\n' })
  for (const [person, role] of [
    [mia, 'maintain'],
    [otto, 'write'],
    [rita, 'read'],
  ] as const)
    await world.call(addCollaborator, ada, { repo: REPO, invitee: person.username, role })
  return {
    world,
    workspace,
    repo,
    ada,
    mia,
    otto,
    rita,
    eve,
    store: (text: string, by: SignedIn = otto, where = REPO) =>
      world.call(storeLfsObject, by, { repo: where, ...fileOf(text) }, { bytes: incoming(text) }),
  }
}
