/**
 * The way of a vulnerability with a browser and the real git: from its report through the mend in a
 * private fork to the advisory that is published with the merge.
 */
import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { UserCaller } from '#core/caller.ts'
import { issueToken } from '#features/accounts/index.ts'
import { getFile } from '#features/repos/files/get-file.ts'
import { anonymous } from '#core/caller.ts'
import { runForge } from '../../features/oauth/running.ts'

const REPO = 'acme/site'
const REPORTS = `/${REPO}/security/reports`

async function setUp() {
  const forge = await runForge()
  const [ada, ivy] = [await forge.user('ada'), await forge.user('ivy')]
  await forge.workspace('acme', { owner: ada })
  await forge.repo(REPO, { as: ada })
  await forge.commit(REPO, 'main', { 'a.txt': 'one\ntwo\nthree\n' })
  const home = mkdtempSync(join(tmpdir(), 'hearth-mend-'))
  afterAll(() => rmSync(home, { recursive: true, force: true }))
  const git = async (directory: string, ...args: string[]) => {
    const identity = ['-c', 'user.name=Ivy', '-c', 'user.email=ivy@example.com']
    const child = Bun.spawn(['git', ...identity, ...args], {
      cwd: join(home, directory),
      stdout: 'pipe',
      stderr: 'pipe',
      env: { PATH: process.env.PATH ?? '', HOME: home, GIT_TERMINAL_PROMPT: '0' },
    })
    const error = await new Response(child.stderr).text()
    return { code: await child.exited, error }
  }
  const withToken = async (remote: string, person: UserCaller): Promise<string> => {
    const { secret } = await forge.write((tx) =>
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
      }),
    )
    return remote.replace('://', `://x:${secret}@`)
  }
  return { forge, ada, ivy, home, git, withToken }
}

/** The command that the page shows, without `git clone`. */
const remoteOf = (html: string): string => /git clone ([^"]+)"/.exec(html)?.[1] ?? ''

test('a report becomes a mend that nobody sees, and an advisory that is published with it', async () => {
  const { forge, ivy, home, git, withToken } = await setUp()
  const [adas, ivys, stranger] = [
    await forge.browser('ada'),
    await forge.browser('ivy'),
    await forge.browser('eve'),
  ]
  const form = await ivys.open(`${REPORTS}/new`)
  const sent = await ivys.press(form.html, `${REPORTS}/new`, {
    title: 'Hole',
    description: 'Deep',
    severity: 'high',
  })
  const report = await adas.open(sent.location)
  const reviewed = `${sent.location}/review`
  const accepted = await adas.press(report.html, reviewed, {
    state: 'accepted',
    severity: 'high',
  })
  const advisory = accepted.location.split('?')[0] ?? ''
  expect(advisory).toContain('/security/advisories/adv_')
  expect((await ivys.open(advisory)).status).toBe(404)

  const draft = await adas.open(advisory)
  expect((await adas.press(draft.html, `${advisory}/fork/open`, {})).status).toBe(303)
  expect((await adas.open(advisory)).html).toContain('is being prepared')
  await forge.jobs()
  const ready = await adas.open(advisory)
  expect(ready.html).toContain('Nothing is pushed yet')
  await adas.press(ready.html, `${advisory}/people/add`, { username: 'ivy' })

  const invited = await ivys.open(advisory)
  expect(invited.html).not.toContain('Publish advisory')
  expect(invited.html).not.toContain('Delete private fork')
  const remote = await withToken(remoteOf(invited.html), ivy)
  expect((await git('', 'clone', remote, 'mend')).code).toBe(0)
  writeFileSync(join(home, 'mend/a.txt'), 'one\nsafe\nthree\n')
  await git('mend', 'switch', '-c', 'fix/hole')
  await git('mend', 'commit', '-am', 'Close the hole')
  expect((await git('mend', 'push', 'origin', 'fix/hole')).code).toBe(0)

  const changes = await ivys.open(`${advisory}/compare/fix/hole`)
  expect(changes.html).toContain('Close the hole')
  expect(changes.html).toContain('safe')
  expect(changes.html).not.toContain('/commit/')
  for (const path of [advisory, `${advisory}/compare/fix/hole`])
    expect((await stranger.open(path)).status).toBe(404)

  const shown = await adas.open(advisory)
  expect(shown.html).toContain('1 ahead of main, 0 behind')
  const merged = await adas.press(shown.html, `${advisory}/fork/merge`, {
    branch: 'fix/hole',
    publish: 'true',
  })
  expect(merged.status).toBe(303)
  const published = await stranger.open(advisory)
  expect(published.html).toContain('Published')
  expect(published.html).not.toContain('fix/hole')
  expect((await adas.open(advisory)).html).toContain('was merged as')
  const file = await forge.call(getFile, anonymous, { repo: REPO, path: 'a.txt' })
  expect(file.content).toContain('safe')
})

test('a conflict shows the commands that resolve it, and people and the fork are removed', async () => {
  const { forge, ada, ivy, home, git, withToken } = await setUp()
  const adas = await forge.browser('ada')
  const { createAdvisory } = await import('#features/security/reports/create-advisory.ts')
  const { id } = await forge.call(createAdvisory, ada, {
    repo: REPO,
    title: 'Hole',
    description: 'Deep',
    severity: 'low',
  })
  const advisory = `/${REPO}/security/advisories/${id}`
  const press = async (action: string, fields: Record<string, string>) =>
    adas.press((await adas.open(advisory)).html, `${advisory}${action}`, fields)
  await press('/fork/open', {})
  await forge.jobs()
  await git('', 'clone', await withToken(remoteOf((await adas.open(advisory)).html), ada), 'mend')
  writeFileSync(join(home, 'mend/a.txt'), 'one\nsafe\nthree\n')
  await git('mend', 'switch', '-c', 'fix')
  await git('mend', 'commit', '-am', 'Fix')
  await git('mend', 'push', 'origin', 'fix')
  await forge.commit(REPO, 'main', { 'a.txt': 'one\nelse\nthree\n' })
  const refused = await press('/fork/merge', { branch: 'fix' })
  expect(refused.status).toBe(422)
  expect(refused.html).toContain('fix conflicts with main in a.txt')
  expect(refused.html).toContain('git merge origin/main')
  await press('/people/add', { username: ivy.username })
  expect((await adas.open(advisory)).html).toContain('1 person is invited.')
  await press('/people/remove', { username: ivy.username })
  expect((await adas.open(advisory)).html).toContain('Nobody is invited.')
  await press('/fork/delete', {})
  expect((await adas.open(advisory)).html).toContain('Open private fork')
})

test('a refused form of an advisory shows its error once, and leaves the fields of the others as they are', async () => {
  const { forge, ada } = await setUp()
  const adas = await forge.browser('ada')
  const { createAdvisory } = await import('#features/security/reports/create-advisory.ts')
  const { id } = await forge.call(createAdvisory, ada, {
    repo: REPO,
    title: 'Hole',
    description: 'Deep',
    severity: 'low',
    packages: [{ type: 'npm', name: 'site', vulnerable: '< 2', patched: null }],
  })
  const advisory = `/${REPO}/security/advisories/${id}`
  const { html } = await adas.open(advisory)
  expect(html).toContain('affects &lt; 2, not fixed yet')
  const unknown = await adas.press(html, `${advisory}/people/add`, { username: 'nobody' })
  expect([unknown.status, unknown.html.split('There is no person nobody.').length - 1]).toEqual([
    422, 1,
  ])
  expect(unknown.html).toContain('value="nobody"')
  // Saving the form beside it keeps the package.
  expect(unknown.html).toContain('value="&lt; 2"')
  const wrong = await adas.press(html, `${advisory}/edit`, { package: '', severity: 'high' })
  const message = 'Type, package and affected versions belong together.'
  expect([wrong.status, wrong.html.split(message).length - 1]).toEqual([422, 1])
  expect(wrong.html).toContain('<option value="high" selected')
})
