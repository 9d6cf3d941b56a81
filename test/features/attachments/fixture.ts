/** A public repository with a reader, a writer, and people who have nothing to do with it. */
import { uploadAttachment } from '#features/attachments/upload-attachment.ts'
import { openAttachment } from '#features/attachments/open-attachment.ts'
import { addCollaborator } from '#features/collaborators/add-collaborator.ts'
import { createIssue } from '#features/issues/create-issue.ts'
import type { Caller, SignedIn } from '#core/caller.ts'
import type { Settings } from '#core/settings.ts'
import { makeWorld } from '../../world.ts'

export const REPO = 'acme/site'
/** A PNG of one pixel. */
export const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

export async function makeAttachmentWorld(
  options: { private?: boolean; settings?: Partial<Settings> } = {},
) {
  const world = await makeWorld(options.settings)
  const [ada, otto, rita, eve] = await Promise.all([
    world.user('ada'),
    world.user('otto'),
    world.user('rita'),
    world.user('eve'),
  ])
  const workspace = await world.workspace('acme', { owner: ada, members: [otto, rita] })
  await world.write(
    (tx) =>
      void tx.db.run(`UPDATE workspaces SET base_permission = 'none' WHERE id = ?`, workspace.id),
  )
  const repo = await world.repo(REPO, { private: options.private ?? false })
  await world.commit(REPO, 'main', { 'a.txt': 'one\n' })
  for (const [person, role] of [
    [otto, 'write'],
    [rita, 'read'],
  ] as const)
    await world.call(addCollaborator, ada, { repo: REPO, invitee: person.username, role })
  return {
    world,
    ada,
    otto,
    rita,
    eve,
    workspace,
    repo,
    issue: (by: SignedIn, body: string) =>
      world.call(createIssue, by, { repo: REPO, title: 'A picture', body }),
    upload: (by: SignedIn, name = 'cat.png', bytes: Uint8Array = PNG) =>
      world.call(uploadAttachment, by, {
        repo: REPO,
        name,
        data: Buffer.from(bytes).toString('base64'),
      }),
    /** Who of these sees an attachment. */
    async seen(id: string, callers: Readonly<Record<string, Caller>>): Promise<string[]> {
      const names: string[] = []
      for (const [name, caller] of Object.entries(callers)) {
        const found = await world.call(openAttachment, caller, { repo: REPO, id }).then(
          () => true,
          (error: { status?: number }) => {
            if (error.status !== 404) throw error
            return false
          },
        )
        if (found) names.push(name)
      }
      return names
    },
  }
}
