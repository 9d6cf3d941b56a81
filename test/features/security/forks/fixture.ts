/** A served repository with a draft advisory, people of every standing, and the real git. */
import { afterAll } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Role, SignedIn } from '#core/caller.ts'
import { issueToken } from '#features/accounts/index.ts'
import { addCollaborator } from '#features/collaborators/add-collaborator.ts'
import { addAdvisoryCollaborator } from '#features/security/forks/add-advisory-collaborator.ts'
import { openAdvisoryFork } from '#features/security/forks/open-advisory-fork.ts'
import { createAdvisory } from '#features/security/reports/create-advisory.ts'
import { serveSite } from '../../../web/visitor.ts'
import { makeWorld } from '../../../world.ts'

export const REPO = 'acme/site'

/** The limits of a token. */
type Limits = {
  scopes?: string[]
  repos?: { id: string; workspace_id: string; name: string }[]
  role?: Role
}

/**
 * `ada` owns the workspace, `mel` has Write, `rita` Read, and `eve` has no role. `ivy` is invited
 * to the advisory and has no role.
 */
export async function makeForkWorld(options: { private?: boolean } = {}) {
  const world = await makeWorld()
  const [ada, mel, rita, eve, ivy] = await Promise.all([
    world.user('ada'),
    world.user('mel'),
    world.user('rita'),
    world.user('eve'),
    world.user('ivy'),
  ])
  const workspace = await world.workspace('acme', { owner: ada, members: [mel, rita] })
  await world.write(
    (tx) =>
      void tx.db.run(`UPDATE workspaces SET base_permission = 'none' WHERE id = ?`, workspace.id),
  )
  await world.repo(REPO, { private: options.private ?? false })
  for (const [person, role] of [
    [mel, 'write'],
    [rita, 'read'],
  ] as const)
    await world.call(addCollaborator, ada, { repo: REPO, invitee: person.username, role })
  await world.commit(REPO, 'main', { 'a.txt': 'one\ntwo\nthree\n', 'lib/b.txt': 'b\n' })
  const advisory = await world.call(createAdvisory, ada, {
    repo: REPO,
    title: 'Hole',
    description: 'Deep',
    severity: 'high',
  })
  const { id } = advisory
  return {
    world,
    ada,
    mel,
    rita,
    eve,
    ivy,
    workspace,
    id,
    invite: (username: string) =>
      world.call(addAdvisoryCollaborator, ada, { repo: REPO, id, username }),
    open: async () => {
      const fork = await world.call(openAdvisoryFork, ada, { repo: REPO, id })
      await world.jobs()
      return fork
    },
  }
}

/** The same over HTTP. */
export async function makeForkGitWorld(options: { private?: boolean } = {}) {
  const all = await makeForkWorld(options)
  const { world, id } = all
  const site = serveSite(world)
  const home = mkdtempSync(join(tmpdir(), 'hearth-fork-'))
  afterAll(() => rmSync(home, { recursive: true, force: true }))
  const tokenOf = (person: SignedIn, limits: Limits = {}): Promise<string> =>
    world.write(
      (tx) =>
        issueToken(tx, {
          actor_id: person.id,
          kind: 'user',
          name: 'git',
          source: 'settings',
          scopes: limits.scopes ?? null,
          repos: limits.repos ?? null,
          workspace_id: null,
          role: limits.role ?? null,
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
  const at = async (path: string, person: SignedIn | null, limits?: Limits): Promise<string> =>
    person === null
      ? `${site.url}/${path}`
      : `${site.url.replace('://', `://x:${await tokenOf(person, limits)}@`)}/${path}`
  return {
    ...all,
    site,
    home,
    git,
    at,
    tokenOf,
    fork: `${REPO}/security/advisories/${id}.git`,
    /** Commits a file on a new branch of a clone, and returns the commit. */
    commit: async (clone: string, branch: string, file: string, text: string) => {
      await git(clone, 'switch', '-C', branch)
      writeFileSync(join(home, clone, file), text)
      await git(clone, 'add', '.')
      await git(clone, 'commit', '-m', `Change ${file}`)
      return (await git(clone, 'rev-parse', 'HEAD')).out.trim()
    },
  }
}
