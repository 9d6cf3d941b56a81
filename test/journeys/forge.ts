/**
 * Starts the built executable in an empty directory, as a person would, and drives it from outside.
 */
import { afterAll } from 'bun:test'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'
import { openContext } from './browser.ts'

const root = join(import.meta.dir, '..', '..')
export const EXECUTABLE = process.env.HEARTH_EXECUTABLE ?? join(root, 'dist', 'hearth')

/** `scripts/check.ts` builds it; a test that is run by itself builds it when it is not there. */
export async function requireExecutable(): Promise<void> {
  if (existsSync(EXECUTABLE)) return
  const status = await Bun.spawn([process.execPath, 'scripts/build.ts'], {
    cwd: root,
    stdout: 'ignore',
    stderr: 'inherit',
  }).exited
  if (status !== 0) throw new Error('the executable could not be built')
}

export type Forge = Awaited<ReturnType<typeof startForge>>

/**
 * An environment without anything of the machine's but a path to nothing useful: no Bun, no
 * Node.js, no git.
 */
export const BARE_ENVIRONMENT = { PATH: '/nonexistent', HOME: '/nonexistent', TZ: 'UTC' }

async function lines(stream: ReadableStream<Uint8Array>, count: number): Promise<string[]> {
  const decoder = new TextDecoder()
  let text = ''
  const reader = stream.getReader()
  while (text.split('\n').length <= count) {
    const { done, value } = await reader.read()
    if (done) break
    text += decoder.decode(value, { stream: true })
  }
  reader.releaseLock()
  return text.split('\n').filter((line) => line !== '')
}

export async function startForge(
  options: {
    directory?: string
    args?: string[]
    environment?: Record<string, string>
    setup?: boolean
  } = {},
) {
  await requireExecutable()
  const directory = options.directory ?? mkdtempSync(join(tmpdir(), 'hearth-journey-'))
  const child = Bun.spawn(
    [EXECUTABLE, 'serve', '--listen', '127.0.0.1:0', ...(options.args ?? [])],
    {
      cwd: directory,
      env: { ...BARE_ENVIRONMENT, ...options.environment },
      stdout: 'pipe',
      stderr: Bun.file(join(directory, 'serve.log')),
    },
  )
  const [first = '', second = ''] = await lines(child.stdout, options.setup === false ? 1 : 2)
  const url = /^hearth listening on (http:\/\/127\.0\.0\.1:\d+)$/.exec(first)?.[1]
  if (!url)
    throw new Error(
      `the forge did not start: ${first}\n${await Bun.file(join(directory, 'serve.log')).text()}`,
    )
  const forge = {
    url,
    directory,
    child,
    setup: /^hearth setup: (\S+)$/.exec(second)?.[1] ?? null,
    log: () => Bun.file(join(directory, 'serve.log')).text(),
    /** Ends it as systemd does; gives the exit status. */
    async stop(): Promise<number> {
      child.kill('SIGTERM')
      return child.exited
    },
    remove: () => rmSync(directory, { recursive: true, force: true }),
  }
  started.add(forge)
  return forge
}

const started = new Set<{ child: { kill(signal: 'SIGKILL'): void }; remove(): void }>()

/** Nothing that the tests of a file started outlives them. */
function endAll(): void {
  for (const forge of started) {
    forge.child.kill('SIGKILL')
    forge.remove()
  }
  started.clear()
}
// Bun tells one process of tests for one file of its end only by the hook. Scripts have none.
if (process.env.NODE_ENV === 'test') afterAll(endAll)
process.on('exit', endAll)

/**
 * A visitor of their own: cookies are not shared. Any error of a script or a refused piece of a
 * page fails the test.
 */
export async function visitor(
  options: { javaScript?: boolean; program?: string } = {},
): Promise<{ context: BrowserContext; page: Page; problems: string[] }> {
  const context = await openContext(
    { javaScriptEnabled: options.javaScript ?? true },
    options.program,
  )
  const page = await context.newPage()
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error' && !/status of (4\d\d)/.test(message.text()))
      problems.push(message.text())
  })
  return { context, page, problems }
}

/**
 * Makes the first account, `ada`, and a token with its full rights, on the pages. Gives the token;
 * the page stays signed in.
 */
export async function claim(page: Page, forge: Pick<Forge, 'url' | 'setup'>): Promise<string> {
  await page.goto(forge.setup ?? '')
  for (const [name, value] of Object.entries({
    username: 'ada',
    email: 'ada@example.com',
    password: 'correct horse battery',
  }))
    await page.fill(`[name=${name}]`, value)
  await page.click('main button')
  await page.goto(`${forge.url}/settings/tokens`)
  await page.fill('[name=name]', 'journey')
  await page.click('main form[action="/settings/tokens"] button[class*=primary]')
  return (await page.textContent('#token-secret'))?.trim() ?? ''
}

export type Git = (cwd: string, ...args: string[]) => Promise<string>

/**
 * Runs real git without anybody's configuration. Gives its output; throws with what it said when it
 * fails.
 */
export const git: Git = async (cwd, ...args) => {
  const child = Bun.spawn(['git', ...args], {
    cwd,
    env: {
      PATH: process.env.PATH ?? '',
      HOME: cwd,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_TERMINAL_PROMPT: '0',
      GIT_AUTHOR_NAME: 'Ada',
      GIT_AUTHOR_EMAIL: 'ada@example.com',
      GIT_COMMITTER_NAME: 'Ada',
      GIT_COMMITTER_EMAIL: 'ada@example.com',
    },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, error, status] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  if (status !== 0) throw new Error(`git ${args.join(' ')}: ${error}`)
  return out + error
}

/** An address with a token in it, as a person would paste it. */
export const withToken = (url: string, token: string): string =>
  url.replace('://', `://x:${token}@`)

export const api =
  (forge: { url: string }, token: string | null) =>
  async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${forge.url}/api${path}`, {
      method,
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    })
    const text = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      body: (text === '' ? null : JSON.parse(text)) as unknown,
    }
  }
