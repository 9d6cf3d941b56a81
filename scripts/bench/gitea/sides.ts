/** The two forges that are compared, as one type: what differs between them is in here. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { claim, OWNER, startForge, type ForgeProcess } from '../../support/forge.ts'
import { withToken } from '../../support/git.ts'
import { GiteaPeer, passwordOf } from '../../support/gitea.ts'

/** The repository that is measured on both sides, and its owner. */
export const REPO = `${OWNER.workspace}/peer`

/** Pages whose addresses differ; `:path` stands for a file or folder. */
export type Pages = {
  readonly tree: (path: string) => string
  readonly file: (path: string) => string
  readonly blame: (path: string) => string
  readonly history: string
  readonly pull: (number: number) => string
  readonly changes: (number: number) => string
  readonly codeSearch: (words: string) => string
}

export type Side = {
  readonly name: 'hearth' | 'gitea'
  /** The process whose tree is measured. */
  readonly pid: number
  readonly url: string
  /** The address of a repository for git, with a token. */
  readonly remote: (repository: string) => string
  readonly pages: Pages
  /** Milliseconds from the start of the process to its first answer. */
  readonly startedMs: number
  /** Loads a page as the signed-in owner, to its last byte. */
  page(path: string): Promise<void>
  api<T = unknown>(method: string, path: string, body?: unknown): Promise<T>
  /** Makes an empty public repository of the owner. */
  create(repository: string): Promise<void>
  /** Opens a pull request of a branch and returns its number once it can be merged. */
  openPull(branch: string, title: string): Promise<number>
  merge(number: number): Promise<void>
  stop(): Promise<void>
}

/** Reads a response to its end and throws for one that is not a success. */
async function finished(response: Response, what: string): Promise<string> {
  const text = await response.text()
  if (!response.ok) throw new Error(`${what} answered ${response.status}: ${text.slice(0, 300)}`)
  return text
}

/** A client of one forge, signed in by a cookie for pages and by a token for its API. */
class Client {
  constructor(
    readonly url: string,
    private readonly cookie: string,
    private readonly authorization: string,
  ) {}

  readonly page = async (path: string): Promise<void> => {
    const headers = { cookie: this.cookie, 'accept-encoding': 'gzip' }
    await finished(await fetch(this.url + path, { headers, redirect: 'manual' }), path)
  }

  readonly api = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const response = await fetch(`${this.url}/api/v1${path}`, {
      method,
      headers: {
        authorization: this.authorization,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await finished(response, `${method} ${path}`)
    return (text === '' ? null : JSON.parse(text)) as T
  }
}

const pagesOf = (view: 'hearth' | 'gitea'): Pages => {
  const at = `/${REPO}`
  return view === 'hearth'
    ? {
        tree: (path) => `${at}/tree/main/${path}`,
        file: (path) => `${at}/blob/main/${path}`,
        blame: (path) => `${at}/blame/main/${path}`,
        history: `${at}/commits/main`,
        pull: (number) => `${at}/pull/${number}`,
        changes: (number) => `${at}/pull/${number}/changes`,
        codeSearch: (words) => `/search?type=code&q=${words}+repo:${REPO}`,
      }
    : {
        tree: (path) => `${at}/src/branch/main/${path}`,
        file: (path) => `${at}/src/branch/main/${path}`,
        blame: (path) => `${at}/blame/branch/main/${path}`,
        history: `${at}/commits/branch/main`,
        pull: (number) => `${at}/pulls/${number}`,
        changes: (number) => `${at}/pulls/${number}/files`,
        codeSearch: (words) => `${at}/search?q=${words}`,
      }
}

export async function startHearthSide(executable: string, directory: string): Promise<Side> {
  mkdirSync(directory, { recursive: true })
  const startedAt = performance.now()
  const forge: ForgeProcess = await startForge({
    executable,
    data: join(directory, 'data'),
    log: join(directory, 'serve.log'),
    // Gitea runs no job of a workflow without a runner, so the forge runs none either.
    environment: { HEARTH_LOG_LEVEL: 'warn', HEARTH_JOBS_LOCAL: 'false' },
  })
  await (await fetch(`${forge.url}/livez`)).text()
  const startedMs = performance.now() - startedAt
  const { token, cookie } = await claim(forge)
  const client = new Client(forge.url, cookie, `Bearer ${token}`)
  const [workspace = ''] = REPO.split('/')
  return {
    name: 'hearth',
    pid: forge.pid,
    url: forge.url,
    startedMs,
    pages: pagesOf('hearth'),
    page: client.page,
    api: client.api,
    remote: (repository) => withToken(`${forge.url}/${workspace}/${repository}.git`, token),
    create: async (name) => {
      await client.api('POST', '/repos', { workspace, name })
      // Gitea merges what is behind its base, and looks for no secrets.
      await client.api('PATCH', `/repos/${workspace}/${name}/settings`, {
        require_up_to_date: false,
        push_protection: false,
        secret_scanning: false,
      })
    },
    openPull: async (branch, title) => {
      const made = await client.api<{ pull: { number: number } }>('POST', `/repos/${REPO}/pulls`, {
        branch,
        title,
        base: 'main',
      })
      return made.pull.number
    },
    merge: async (number) =>
      void (await client.api('POST', `/repos/${REPO}/pulls/${number}/merge`, {})),
    stop: async () => void (await forge.stop()),
  }
}

/** Signs in through the page, as a browser does, and returns the cookie. */
async function signInToGitea(url: string, username: string): Promise<string> {
  const page = await fetch(`${url}/user/login`)
  const csrf = /name="_csrf" value="([^"]+)"/.exec(await page.text())?.[1]
  const cookies = new Map<string, string>()
  const keep = (response: Response): void => {
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      cookies.set(name, value)
    }
  }
  keep(page)
  const header = () => [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const response = await fetch(`${url}/user/login`, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie: header(), origin: url },
    body: new URLSearchParams({
      user_name: username,
      password: passwordOf(username),
      ...(csrf === undefined ? {} : { _csrf: csrf }),
    }),
  })
  if (response.status !== 303 && response.status !== 302)
    throw new Error(`Gitea answered a sign-in with ${response.status}`)
  keep(response)
  return header()
}

export async function startGiteaSide(
  program: string,
  source: string,
  directory: string,
): Promise<Side> {
  const first = await GiteaPeer.start(directory, program, source)
  const [owner = ''] = REPO.split('/')
  const token = first.addUser(owner, true)
  await first.stop()
  // A second start, because the first one makes the database.
  const startedAt = performance.now()
  await first.launch(5)
  const startedMs = performance.now() - startedAt
  const client = new Client(first.url, await signInToGitea(first.url, owner), `token ${token}`)
  return {
    name: 'gitea',
    pid: first.pid,
    url: first.url,
    startedMs,
    pages: pagesOf('gitea'),
    page: client.page,
    api: client.api,
    remote: (repository) => withToken(`${first.url}/${owner}/${repository}.git`, token),
    create: async (name) =>
      void (await client.api('POST', '/user/repos', { name, default_branch: 'main' })),
    openPull: async (head, title) => {
      const { number } = await client.api<{ number: number }>('POST', `/repos/${REPO}/pulls`, {
        head,
        title,
        base: 'main',
      })
      // Gitea looks for conflicts after its answer.
      const read = () => client.api<{ mergeable: boolean }>('GET', `/repos/${REPO}/pulls/${number}`)
      while (!(await read()).mergeable) await Bun.sleep(50)
      return number
    },
    merge: async (number) =>
      void (await client.api('POST', `/repos/${REPO}/pulls/${number}/merge`, { Do: 'merge' })),
    stop: () => first.stop(),
  }
}
