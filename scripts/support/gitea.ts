/**
 * A running Gitea, for scripts that compare with it or move from it: `go build -tags "sqlite
 * sqlite_unlock_notify"` of its module gives the program.
 */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const freePort = (): number => {
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response() })
  const { port } = server
  server.stop(true)
  return port ?? 0
}

const configOf = (root: string, source: string, port: number): string => `
APP_NAME = peer
RUN_MODE = prod
RUN_USER = nobody
WORK_PATH = ${root}
[server]
HTTP_ADDR = 127.0.0.1
HTTP_PORT = ${port}
ROOT_URL = http://127.0.0.1:${port}/
STATIC_ROOT_PATH = ${source}
APP_DATA_PATH = ${root}/data
DISABLE_SSH = true
LFS_START_SERVER = true
LFS_JWT_SECRET = ${Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url')}
[database]
DB_TYPE = sqlite3
PATH = ${root}/gitea.db
[repository]
ROOT = ${root}/repositories
[security]
INSTALL_LOCK = true
SECRET_KEY = only-for-this-test
[service]
DISABLE_REGISTRATION = true
ENABLE_NOTIFY_MAIL = false
[mailer]
ENABLED = false
[log]
LEVEL = Error
[cron]
ENABLED = false
[webhook]
ALLOWED_HOST_LIST = *
`

/** The password of an account that `addUser` made. */
export const passwordOf = (name: string): string => `${name}-Secret-1`

export type Api = <T = Record<string, unknown>>(
  method: string,
  path: string,
  body?: unknown,
) => Promise<T>

export class GiteaPeer {
  #process: ReturnType<typeof Bun.spawn> | null = null

  private constructor(
    readonly root: string,
    readonly url: string,
    readonly program: string,
  ) {}

  /** `source` is the folder of the module, with its templates. The forge runs as `nobody`. */
  static async start(root: string, program: string, source: string): Promise<GiteaPeer> {
    mkdirSync(join(root, 'home'), { recursive: true })
    const port = freePort()
    writeFileSync(join(root, 'app.ini'), configOf(root, source, port))
    chmodSync(root, 0o777)
    await Bun.$`chown -R nobody ${root}`.quiet()
    const peer = new GiteaPeer(root, `http://127.0.0.1:${port}`, program)
    peer.run(['migrate'])
    await peer.launch()
    return peer
  }

  #command(args: readonly string[]): string[] {
    return [
      'setpriv',
      '--reuid=nobody',
      '--regid=nogroup',
      '--clear-groups',
      this.program,
      ...args,
      '--config',
      join(this.root, 'app.ini'),
      '--work-path',
      this.root,
    ]
  }

  get #env(): Record<string, string> {
    return { PATH: process.env.PATH ?? '', HOME: join(this.root, 'home'), USER: 'nobody' }
  }

  /** Runs a command of the program and returns what it prints. */
  run(args: readonly string[]): string {
    const { stdout, stderr, exitCode } = Bun.spawnSync(this.#command(args), { env: this.#env })
    if (exitCode !== 0) throw new Error(`gitea ${args.join(' ')}: ${stderr}${stdout}`)
    return stdout.toString()
  }

  /** Starts the server; `intervalMs` is how often it is asked whether it is there. */
  async launch(intervalMs = 100): Promise<void> {
    this.#process = Bun.spawn(this.#command(['web']), {
      env: this.#env,
      stdout: Bun.file(join(this.root, 'web.log')),
      stderr: Bun.file(join(this.root, 'web.err')),
    })
    for (let tries = 0; ; tries++) {
      const answer = await fetch(`${this.url}/api/v1/version`).catch(() => null)
      if (answer?.ok) return
      if (tries * intervalMs > 30_000) throw new Error('Gitea did not start')
      await Bun.sleep(intervalMs)
    }
  }

  get pid(): number {
    if (this.#process === null) throw new Error('Gitea does not run')
    return this.#process.pid
  }

  async stop(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    this.#process?.kill(signal)
    await this.#process?.exited
    this.#process = null
  }

  /** Makes an account and returns its token. */
  addUser(name: string, admin = false): string {
    const said = this.run([
      'admin',
      'user',
      'create',
      '--username',
      name,
      '--password',
      passwordOf(name),
      '--email',
      `${name}@example.com`,
      '--must-change-password=false',
      '--access-token',
      '--access-token-name',
      'seed',
      '--access-token-scopes',
      'all',
      ...(admin ? ['--admin'] : []),
    ])
    const token = /([0-9a-f]{40})/.exec(said)?.[1]
    if (!token) throw new Error(`no token in ${said}`)
    return token
  }

  api(token: string): Api {
    return async <T>(method: string, path: string, body?: unknown) => {
      const isForm = body instanceof FormData
      const answer = await fetch(`${this.url}/api/v1${path}`, {
        method,
        headers: {
          authorization: `token ${token}`,
          ...(body === undefined || isForm ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
      })
      const text = await answer.text()
      if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
      return (text === '' ? null : JSON.parse(text)) as T
    }
  }
}
