/** A repository with a wiki over HTTP, people of every standing, and git beside it. */
import { afterAll } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SignedIn } from '#core/caller.ts'
import { issueToken } from '#features/accounts/index.ts'
import { addCollaborator } from '#features/collaborators/add-collaborator.ts'
import { setWikiPage } from '#features/wiki/set-wiki-page.ts'
import { serveSite } from '../../web/visitor.ts'
import { makeWorld } from '../../world.ts'

export const REPO = 'acme/site'

export async function makeWikiWorld(options: { private?: boolean } = {}) {
  const world = await makeWorld()
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
  await world.repo(REPO, { private: options.private ?? false })
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
    set: (by: SignedIn, title: string, body: string, change: Record<string, unknown> = {}) =>
      world.call(setWikiPage, by, {
        repo: REPO,
        slug: title.replaceAll(' ', '-'),
        title,
        body,
        ...change,
      }),
  }
}

/** A served world and the real git. */
export async function makeGitWorld(options: { private?: boolean } = {}) {
  const all = await makeWikiWorld(options)
  const { world } = all
  const site = serveSite(world)
  const home = mkdtempSync(join(tmpdir(), 'hearth-wiki-'))
  afterAll(() => rmSync(home, { recursive: true, force: true }))
  const tokenOf = (person: SignedIn): Promise<string> =>
    world.write(
      (tx) =>
        issueToken(tx, {
          actor_id: person.id,
          kind: 'user',
          name: 'git',
          source: 'settings',
          scopes: null,
          repos: null,
          workspace_id: null,
          role: null,
          expires_at: null,
        }).secret,
    )
  const git = async (directory: string, ...args: string[]) => {
    const child = Bun.spawn(
      ['git', '-c', 'user.name=Test', '-c', 'user.email=test@example.com', ...args],
      {
        cwd: join(home, directory),
        stdout: 'pipe',
        stderr: 'pipe',
        env: { PATH: process.env.PATH ?? '', HOME: home, GIT_TERMINAL_PROMPT: '0' },
      },
    )
    const [out, error, code] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ])
    return { out, error, code }
  }
  return {
    ...all,
    site,
    home,
    git,
    at: async (path: string, person: SignedIn | null) =>
      person === null
        ? `${site.url}/${path}`
        : `${site.url.replace('://', `://x:${await tokenOf(person)}@`)}/${path}`,
  }
}
