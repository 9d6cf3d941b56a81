/** The executable's commands, as a person at a terminal meets them. */
import { expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { commands } from '#src/commands/index.ts'
import {
  api,
  BARE_ENVIRONMENT,
  EXECUTABLE,
  git,
  requireExecutable,
  startForge,
  visitor,
  withToken,
} from './forge.ts'

await requireExecutable()

async function hearth(directory: string, args: string[], environment: Record<string, string> = {}) {
  const child = Bun.spawn([EXECUTABLE, ...args], {
    cwd: directory,
    env: { ...BARE_ENVIRONMENT, ...environment },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, error, status] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { out, error, status }
}

const empty = () => mkdtempSync(join(tmpdir(), 'hearth-command-'))

test('without a word it names its commands, and each answers --help', async () => {
  const { out, status } = await hearth(empty(), [])
  expect(status).toBe(0)
  for (const { name } of commands) {
    expect(out).toContain(`hearth ${name}`)
    const help = await hearth(empty(), [name, '--help'])
    expect([help.status, help.out.startsWith(`hearth ${name}`)]).toEqual([0, true])
  }
})

test('mistakes name the nearest known word, and exit with 2', async () => {
  for (const [args, word] of [
    [['sevre'], 'serve'],
    [['serve', '--lisen', 'x'], '--listen'],
    [['link', 'reset'], 'usage'],
    [['serve', '--data'], 'DIR'],
    [['setup'], '--username'],
  ] as const) {
    const { error, status, out } = await hearth(empty(), [...args])
    expect([status, out, error.includes(word), error.trimEnd().split('\n').length]).toEqual([
      2,
      '',
      true,
      1,
    ])
  }
})

test('what fails says why in one line, and exits with 1', async () => {
  const directory = empty()
  writeFileSync(join(directory, 'bad.toml'), 'site_ulr = "https://x"\n')
  const cases: [string[], Record<string, string>, string][] = [
    [['serve', '--listen', 'nowhere'], {}, 'HOST:PORT'],
    [['serve', '--site-url', 'example.com'], {}, 'site_url'],
    [['serve', '--config', 'bad.toml'], {}, 'did you mean site_url'],
    [['serve'], { HEARTH_LISTN: 'x' }, 'HEARTH_LISTEN'],
    [['serve'], { HEARTH_GIT_WORKERS: 'many' }, 'whole number'],
    [['export', 'acme/site', 'out'], {}, 'no forge'],
    [['link', 'reset', 'ada'], {}, 'no forge'],
  ]
  for (const [args, environment, word] of cases) {
    const { error, status } = await hearth(directory, args, environment)
    expect([
      args.join(' '),
      status,
      error.includes(word),
      error.trimEnd().split('\n').length,
    ]).toEqual([args.join(' '), 1, true, 1])
  }
})

test('an unattended setup prints a link with which its owner sets the password, and export writes what git reads', async () => {
  const directory = empty()
  const setup = await hearth(directory, [
    'setup',
    '--username',
    'ada',
    '--email',
    'ada@example.com',
    '--workspace',
    'acme',
  ])
  expect([setup.error, setup.status]).toEqual(['', 0])
  expect(
    (await hearth(directory, ['setup', '--username', 'eve', '--email', 'eve@example.com'])).status,
  ).toBe(1)

  const forge = await startForge({ directory, setup: false })
  const link = (await hearth(directory, ['link', 'reset', 'ada'])).out.trim()
  expect(link).toStartWith(`${forge.url}/reset?token=`)
  const { page } = await visitor({ javaScript: false })
  await page.goto(link)
  await page.fill('[name=password]', 'correct horse battery')
  await page.click('main button')
  await page.fill('[name=login]', 'ada@example.com')
  await page.fill('[name=password]', 'correct horse battery')
  await page.click('main button')
  expect(new URL(page.url()).pathname).toBe('/')
  await page.goto(`${forge.url}/settings/tokens`)
  await page.fill('[name=name]', 'laptop')
  await page.click('main form[action="/settings/tokens"] button')
  const token = (await page.textContent('#token-secret'))?.trim() ?? ''
  expect(
    (await api(forge, token)('POST', '/v1/repos', { name: 'site', workspace: 'acme' })).status,
  ).toBe(200)

  const work = empty()
  await git(work, 'init', '-q', '-b', 'main')
  writeFileSync(join(work, 'a.txt'), 'a\n')
  await git(work, 'add', '.')
  await git(work, 'commit', '-q', '-m', 'Begin')
  await git(work, 'tag', '-a', 'v1', '-m', 'One')
  await git(work, 'push', '-q', withToken(`${forge.url}/acme/site`, token), 'main', 'v1')

  const pages = empty()
  await git(pages, 'init', '-q', '-b', 'main')
  writeFileSync(join(pages, 'Home.md'), 'Welcome\n')
  await git(pages, 'add', '.')
  await git(pages, 'commit', '-q', '-m', 'Begin')
  await git(pages, 'push', '-q', withToken(`${forge.url}/acme/site.wiki`, token), 'main')

  const out = join(empty(), 'site.git')
  expect((await hearth(directory, ['export', 'acme/site', out])).status).toBe(0)
  await git(out, 'fsck', '--strict', '--full')
  expect(await git(out, 'rev-parse', 'main', 'v1')).toBe(await git(work, 'rev-parse', 'main', 'v1'))
  const about = JSON.parse(
    readFileSync(join(out.replace(/\.git$/, '.records'), 'repository.json'), 'utf8'),
  ) as { format: string; counts: { issues: number } }
  expect([about.format, about.counts.issues]).toEqual(['hearth-records/1', 0])
  const wiki = out.replace(/\.git$/, '.wiki.git')
  expect(await git(wiki, 'show', 'main:Home.md')).toBe(await git(pages, 'show', 'main:Home.md'))
  expect((await hearth(directory, ['export', 'acme/none', empty()])).error).toContain(
    'no repository',
  )
  expect((await hearth(directory, ['migrate', '--dry-run'])).out).toBe('nothing to do\n')
  expect((await hearth(directory, ['serve', '--listen', '127.0.0.1:0'])).error).toContain(
    'already served',
  )

  // Commands beside a running forge leave its work alone, and what a killed process left behind
  // keeps nobody from starting.
  const incoming = join(directory, 'data', 'tmp', 'git', 'under-way')
  writeFileSync(incoming, 'half a pack')
  expect(
    (await hearth(directory, ['export', 'acme/site', join(empty(), 'again.git')])).status,
  ).toBe(0)
  expect(existsSync(incoming)).toBe(true)
  forge.child.kill('SIGKILL')
  await forge.child.exited
  writeFileSync(
    join(directory, 'data', 'tmp', 'control.json'),
    JSON.stringify({ pid: 1, site_url: 'http://127.0.0.1:1' }),
  )
  const again = await startForge({ directory, setup: false })
  expect(existsSync(incoming)).toBe(false)
  expect(await again.stop()).toBe(0)
}, 120_000)
