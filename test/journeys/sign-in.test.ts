/**
 * Signing in from a terminal, on a machine that knows nothing yet: the device sign-in, git's
 * credential helper, and operations on the command line. Real git, the built executable, and a
 * browser in which the person approves.
 */
import { expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { EXECUTABLE, startForge, visitor } from './forge.ts'

const PASSWORD = 'correct horse battery'

type Terminal = {
  run(
    words: string[],
    options?: {
      cwd?: string
      input?: string
      environment?: Record<string, string>
      /** Runs it at a pseudo terminal, whose text is in `out`. */
      tty?: boolean
      while?: (said: () => string) => Promise<void>
    },
  ): Promise<{ out: string; error: string; status: number }>
  readonly home: string
}

/** A person's terminal on a machine of its own: an empty home, and this git and hearth. */
function terminal(environment: Record<string, string> = {}): Terminal {
  const home = mkdtempSync(join(tmpdir(), 'hearth-home-'))
  writeFileSync(
    join(home, '.gitconfig'),
    '[user]\n\tname = Ada\n\temail = ada@example.com\n[init]\n\tdefaultBranch = main\n',
  )
  return {
    home,
    async run(words, options = {}) {
      const command = words.map((word) => `'${word}'`).join(' ')
      // Without a terminal in a session of its own, as under a program that started it.
      const inSession = options.tty
        ? ['script', '-qefc', command, '/dev/null']
        : ['setsid', '--wait', ...words]
      const child = Bun.spawn(inSession, {
        cwd: options.cwd ?? home,
        env: {
          PATH: process.env.PATH ?? '',
          HOME: home,
          GIT_CONFIG_NOSYSTEM: '1',
          ...environment,
          ...options.environment,
        },
        stdin: options.input === undefined ? 'ignore' : new TextEncoder().encode(options.input),
        stdout: 'pipe',
        stderr: 'pipe',
      })
      const said = { out: '', error: '' }
      const read = async (stream: ReadableStream<Uint8Array>, to: 'out' | 'error') => {
        for await (const part of stream) said[to] += new TextDecoder().decode(part)
      }
      const reading = Promise.all([read(child.stdout, 'out'), read(child.stderr, 'error')])
      await options.while?.(() => said.out + said.error)
      await reading
      return { ...said, status: await child.exited }
    },
  }
}

/** Waits for the link in what was said, and decides in the browser. */
const decides = (page: Page, decision: 'approve' | 'deny') => async (said: () => string) => {
  let link: string | undefined
  while (link === undefined) {
    link = /open (http\S+)/.exec(said())?.[1]
    await Bun.sleep(20)
  }
  await page.goto(link)
  const asked = (await page.textContent('main')) ?? ''
  expect([asked.includes(`hearth on ${hostname()}`), asked.includes('Bun')]).toEqual([true, false])
  expect(await page.textContent('#user-code')).toBe(link.split('code=')[1] ?? '')
  await page.click(`[name=decision][value=${decision}]`)
  await page.waitForSelector(
    decision === 'approve' ? 'text=Device authorized' : 'text=Access denied',
  )
}

test('a new machine signs in and goes on', async () => {
  const forge = await startForge()
  const { page, problems } = await visitor()
  await page.goto(forge.setup ?? '')
  await page.fill('[name=username]', 'ada')
  await page.fill('[name=email]', 'ada@example.com')
  await page.fill('[name=password]', PASSWORD)
  await page.fill('[name=workspace]', 'acme')
  await page.click('main button')

  // hearth login: the token is kept for its owner alone.
  const desk = terminal()
  const login = await desk.run([EXECUTABLE, 'login', `${forge.url}/acme/site`], {
    while: decides(page, 'approve'),
  })
  expect([login.status, login.error]).toEqual([0, ''])
  expect(login.out).toContain(`Signed in to ${forge.url} as ada.`)
  const file = join(desk.home, '.config', 'hearth', 'credentials.json')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const kept = JSON.parse(readFileSync(file, 'utf8')) as Record<
    string,
    { username: string; token: string }
  >
  expect(kept[forge.url]).toEqual({ username: 'ada', token: expect.stringMatching(/^hthu_/) })
  await page.goto(`${forge.url}/settings/tokens`)
  expect(await page.textContent('main')).toContain('hearth on ')

  // hearth api: flags from the schema, JSON out, one line when it fails.
  const api = (...words: string[]) => desk.run([EXECUTABLE, 'api', ...words])
  expect(JSON.parse((await api('whoami')).out)).toMatchObject({ username: 'ada' })
  const made = await api(
    'create_repo',
    '--workspace',
    'acme',
    '--name',
    'site',
    '--private=false',
    '--topics',
    'x',
  )
  expect([made.status, made.error]).toEqual([2, expect.stringContaining('has no input --topics')])
  expect(
    JSON.parse(
      (await api('create_repo', '--workspace', 'acme', '--name', 'site', '--private=false')).out,
    ),
  ).toMatchObject({ full_name: 'acme/site', private: false })
  const issue = await api(
    'create-issue',
    '--repo',
    'acme/site',
    '--title',
    'A title',
    '--labels',
    'bug',
    '--labels',
    'later',
  )
  expect(JSON.parse(issue.out)).toMatchObject({ number: 1, labels: ['bug', 'later'] })
  expect(
    JSON.parse(
      (await api('list_issues', '--repo=acme/site', '--state', 'open', '--per-page', '1')).out,
    ),
  ).toHaveLength(1)
  expect((await api('close_issue', '--repo', 'acme/site')).error).toBe(
    'hearth: close_issue needs --number\n',
  )
  const missing = await api('get_issue', '--repo', 'acme/site', '--number', '99')
  expect([missing.status, missing.out, missing.error.split('\n').length]).toEqual([1, '', 2])
  expect((await api('get_isue', '--repo', 'acme/site')).error).toContain('did you mean get_issue?')
  expect((await api('create_issue', '--help')).out).toContain('--title STRING')

  // A second machine: a bare push signs in and goes on; the next one needs nothing.
  const laptop = terminal()
  expect((await laptop.run([EXECUTABLE, 'setup-git', forge.url])).status).toBe(0)
  expect((await laptop.run([EXECUTABLE, 'setup-git', forge.url])).status).toBe(0)
  const work = join(laptop.home, 'work')
  mkdirSync(work)
  const git = (
    words: string[],
    options: { tty?: boolean; while?: (said: () => string) => Promise<void> } = {},
  ) => laptop.run(['git', ...words], { cwd: work, ...options })
  await git(['init', '-q'])
  writeFileSync(join(work, 'README.md'), '# Site\n')
  await git(['add', '.'])
  await git(['commit', '-q', '-m', 'Begin'])
  await git(['remote', 'add', 'origin', `${forge.url}/acme/site.git`])
  const push = await git(['push', 'origin', 'main'], { tty: true, while: decides(page, 'approve') })
  expect([push.status, push.out.includes('main -> main')]).toEqual([0, true])
  writeFileSync(join(work, 'more.txt'), 'more\n')
  await git(['add', '.'])
  await git(['commit', '-q', '-m', 'More'])
  const silent = await git(['push', 'origin', 'main:topic'])
  expect([silent.status, silent.error.includes('To sign in')]).toEqual([0, false])

  // A token that was revoked is forgotten, and the next use signs in anew. Who denies is not asked
  // again by git.
  await page.goto(`${forge.url}/settings/tokens`)
  const revoke = page.locator('form[action="/settings/tokens/revoke"] button')
  while ((await revoke.count()) > 0)
    await Promise.all([page.waitForEvent('load'), revoke.first().click()])
  const refused = await git(['push', 'origin', 'main:other'])
  expect(refused.status).not.toBe(0)
  const denied = await git(['push', 'origin', 'main:other'], {
    tty: true,
    while: decides(page, 'deny'),
  })
  expect([denied.status === 0, denied.out.includes('denied')]).toEqual([false, true])
  const again = await git(['push', 'origin', 'main:other'], {
    tty: true,
    while: decides(page, 'approve'),
  })
  expect(again.status).toBe(0)
  expect(problems).toEqual([])
}, 120_000)

test('the credential helper signs in only at a terminal that may be asked, and ends', async () => {
  const forge = await startForge()
  const machine = terminal()
  const input = `protocol=http\nhost=${new URL(forge.url).host}\n\n`
  const helper = (options: { tty?: boolean; environment?: Record<string, string> }) =>
    machine.run([EXECUTABLE, 'credential', 'get'], { input, ...options })
  const hint = `hearth: no token for ${forge.url}; sign in with hearth login ${forge.url}`
  expect(await helper({})).toEqual({ out: '', error: `${hint}\n`, status: 0 })
  for (const forbidden of ['0', 'false', '']) {
    const answer = await helper({ tty: true, environment: { GIT_TERMINAL_PROMPT: forbidden } })
    expect([answer.status, answer.out.includes(hint), answer.out.includes('open')]).toEqual([
      0,
      true,
      false,
    ])
  }
  // git ends as well, without a question.
  const git = await machine.run(['git', 'ls-remote', `${forge.url}/acme/site.git`], {
    environment: {
      GIT_TERMINAL_PROMPT: '0',
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'credential.helper',
      GIT_CONFIG_VALUE_0: `!'${EXECUTABLE}' credential`,
    },
  })
  expect([git.status, git.error.includes(hint)]).toEqual([128, true])
}, 120_000)

test('the credential helper speaks as git expects', async () => {
  const desk = terminal({ XDG_CONFIG_HOME: '' })
  const helper = (action: string, input: string) =>
    desk.run([EXECUTABLE, 'credential', action], { input })
  const about = 'protocol=https\nhost=git.example.com\n'
  expect(await helper('store', `${about}username=ada\npassword=secret\n`)).toEqual({
    out: '',
    error: '',
    status: 0,
  })
  expect(
    (await helper('get', `capability[]=authtype\n${about}wwwauth[]=Basic realm="x"\n`)).out,
  ).toBe('username=ada\npassword=secret\n')
  // A token that took the place of the refused one stays.
  await helper('erase', `${about}username=ada\npassword=older\n`)
  expect((await helper('get', `${about}username=someone\n`)).out).toBe(
    'username=someone\npassword=secret\n',
  )
  await helper('erase', `${about}username=ada\npassword=secret\n`)
  expect(
    JSON.parse(readFileSync(join(desk.home, '.config', 'hearth', 'credentials.json'), 'utf8')),
  ).toEqual({})
  // Nothing there that could be asked, or no forge: git goes on in its own way.
  const nobody = await helper('get', 'protocol=http\nhost=127.0.0.1:9\n')
  expect([nobody.out, nobody.status]).toEqual(['', 0])
  expect(await helper('get', 'protocol=ssh\nhost=git.example.com\n')).toEqual({
    out: '',
    error: '',
    status: 0,
  })
  expect(await helper('approve', about)).toEqual({ out: '', error: '', status: 0 })
}, 120_000)
