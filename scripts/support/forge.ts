/**
 * Starts the built executable as a process of its own and drives it from outside, for scripts that
 * measure or torment it.
 */
import { closeSync, existsSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))
export const EXECUTABLE = join(ROOT, 'dist', 'hearth')

/** Gives an Error when there is no executable to run. */
export function requireBuilt(executable: string): string {
  if (!existsSync(executable))
    throw new Error(`${executable} does not exist; build it with: bun scripts/build.ts`)
  return executable
}

export type ForgeOptions = {
  /** The executable, or the program with its first arguments. */
  executable: string | readonly string[]
  /** Address and port; a free port of this machine unless given. */
  listen?: string
  /** The data directory. */
  data: string
  /** Where its log goes; new lines are added at the end. */
  log: string
  /** More of the environment, such as settings. */
  environment?: Record<string, string>
}

export type ForgeProcess = {
  readonly url: string
  readonly pid: number
  /** The address that makes the first account; only a forge without accounts tells one. */
  setup(): Promise<string>
  /** Milliseconds from the start of the process to its line on standard output. */
  readonly announced: number
  readonly exited: Promise<number>
  /** Ends it at once, as a crash would, and waits until it is gone. */
  kill(): Promise<void>
  /** Ends it as a service manager does; gives the exit status. */
  stop(): Promise<number>
  signal(name: 'SIGSTOP' | 'SIGCONT'): void
}

/** A process that is starting: it can be killed before it is there. */
export type Starting = {
  readonly pid: number
  readonly ready: Promise<ForgeProcess>
  kill(): Promise<void>
}

const LISTENING = /^hearth listening on (http:\/\/127\.0\.0\.1:\d+)$/m
const SETUP = /^hearth setup: (\S+)$/m

/** Starts it; `ready` resolves at its line on standard output and rejects when it ends before. */
export function beginForge({
  executable,
  listen = '127.0.0.1:0',
  data,
  log,
  environment,
}: ForgeOptions): Starting {
  const began = performance.now()
  const file = openSync(log, 'a')
  const program = typeof executable === 'string' ? [executable] : executable
  const child = Bun.spawn([...program, 'serve', '--listen', listen, '--data', data], {
    env: {
      PATH: '/nonexistent',
      HOME: '/nonexistent',
      TZ: 'UTC',
      // For forges from source, as in scripts/bun.mjs; else Bun would make a folder of that HOME.
      BUN_RUNTIME_TRANSPILER_CACHE_PATH: '0',
      ...environment,
    },
    stdout: 'pipe',
    stderr: file,
  })
  closeSync(file)
  const kill = async () => {
    child.kill('SIGKILL')
    await child.exited
  }
  const said = lines(child.stdout)
  const ready = (async (): Promise<ForgeProcess> => {
    const url = await said(LISTENING)
    const announced = performance.now() - began
    if (url === null)
      throw new Error(
        `the forge ended with status ${await child.exited} before it listened; its log is ${log}`,
      )
    return {
      url,
      pid: child.pid,
      announced,
      exited: child.exited,
      kill,
      setup: async () =>
        (await said(SETUP)) ?? Promise.reject(new Error('the forge told no address to set it up')),
      stop: () => {
        child.kill('SIGTERM')
        return child.exited
      },
      signal: (name) => child.kill(name),
    }
  })()
  // Whoever kills it while it starts does not wait for it.
  ready.catch(() => {})
  return { pid: child.pid, ready, kill }
}

/**
 * Reads all that a process says and gives the first group of what a pattern finds in it; null when
 * it ends without.
 */
function lines(output: ReadableStream<Uint8Array>): (pattern: RegExp) => Promise<string | null> {
  let text = ''
  let ended = false
  let more = Promise.withResolvers<void>()
  void (async () => {
    const decoder = new TextDecoder()
    try {
      for await (const part of output) {
        text += decoder.decode(part, { stream: true })
        more.resolve()
        more = Promise.withResolvers()
      }
    } finally {
      ended = true
      more.resolve()
    }
  })()
  return async (pattern) => {
    for (;;) {
      const found = pattern.exec(text)
      if (found) return found[1] ?? ''
      if (ended) return null
      await more.promise
    }
  }
}

export const startForge = (options: ForgeOptions): Promise<ForgeProcess> =>
  beginForge(options).ready

export const OWNER = {
  username: 'ada',
  email: 'ada@example.com',
  password: 'correct horse battery',
  workspace: 'acme',
} as const

export type Claimed = { readonly token: string; readonly cookie: string }

/** A browser without scripts: it keeps cookies and sends forms. */
class PageVisit {
  readonly #cookies = new Map<string, string>()

  async ask(address: string, form?: Record<string, string>): Promise<string> {
    const response = await fetch(address, {
      method: form ? 'POST' : 'GET',
      redirect: 'manual',
      headers: { cookie: [...this.#cookies].map((pair) => pair.join('=')).join('; ') },
      body: form && new URLSearchParams(form),
    })
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      if (value === '') this.#cookies.delete(name)
      else this.#cookies.set(name, value)
    }
    const text = await response.text()
    if (response.status >= 400)
      throw new Error(
        `${new URL(address).pathname} answered ${response.status}: ${text.slice(0, 2000)}`,
      )
    return text
  }

  /** Sends a form of a page, with the token that the page has for it. */
  async send(page: string, form: Record<string, string>, to = page): Promise<string> {
    const csrf = /name="csrf" value="([^"]+)"/.exec(await this.ask(page))?.[1] ?? ''
    return this.ask(to, { ...form, csrf })
  }

  /** Makes a token with all rights of the account that is signed in. */
  async makeToken(url: string): Promise<Claimed> {
    const page = `${url}/settings/tokens`
    const made = await this.send(page, { name: 'script', expires: '365' })
    const token = /id="token-secret"[^>]*>\s*(hthu_[0-9A-Za-z]+)/.exec(made)?.[1]
    const cookie = this.#cookies.get('hearth')
    if (!token || !cookie) throw new Error('the account got no token')
    return { token, cookie: `hearth=${cookie}` }
  }
}

/**
 * Makes the first account and a token with full rights, through the pages that a person would use.
 */
export async function claim(forge: Pick<ForgeProcess, 'url' | 'setup'>): Promise<Claimed> {
  const visit = new PageVisit()
  const setup = await forge.setup()
  const code = new URL(setup).searchParams.get('code') ?? ''
  await visit.send(setup, { ...OWNER, code }, `${forge.url}/setup`)
  return visit.makeToken(forge.url)
}

/** Registers a person where everybody may (`accounts.sign_up = open`), and confirms the address. */
export async function registerPerson(
  forge: Pick<ForgeProcess, 'url'>,
  username: string,
  { executable, data }: { readonly executable: string; readonly data: string },
): Promise<Claimed> {
  const visit = new PageVisit()
  const { password } = OWNER
  await visit.send(`${forge.url}/register`, {
    username,
    email: `${username}@example.com`,
    password,
  })
  const made = Bun.spawnSync([executable, 'link', 'confirm', username, '--data', data])
  const link = /https?:\/\/\S+/.exec(made.stdout.toString())?.[0]
  if (link === undefined) throw new Error(`no address is confirmed: ${made.stderr.toString()}`)
  const page = await visit.ask(link)
  const action = /<form[^>]*action="([^"]+)"/.exec(page.slice(page.indexOf('<main')))?.[1]
  if (action !== undefined) {
    const fields = [...page.matchAll(/type="hidden" name="([^"]+)" value="([^"]*)"/g)]
    const values = Object.fromEntries(fields.map(([, name = '', value = '']) => [name, value]))
    await visit.send(link, values, new URL(action, forge.url).href)
  }
  return visit.makeToken(forge.url)
}
