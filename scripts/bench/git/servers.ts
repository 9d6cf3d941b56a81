/**
 * The two that are compared: the forge as its users run it, and git's own server behind a web
 * server, both asking for a password.
 */
import { Database } from 'bun:sqlite'
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { claim, startForge, type ForgeProcess } from '../../support/forge.ts'
import { freePort } from '../../support/ports.ts'

/** One that serves repositories over smart HTTP. */
export type Server = {
  readonly name: 'hearth' | 'beside' | 'git'
  readonly pid: number
  /** `Authorization` of whoever may read and write. */
  readonly authorization: string
  address(repository: string): string
  /** Makes an empty repository. */
  create(repository: string): Promise<void>
  stop(): Promise<void>
}

const basic = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`

export type Hearth = Server & {
  readonly token: string
  readonly url: string
  /** Where the objects of a repository are. */
  directory(repository: string): string
  /** Jobs of a kind that wait or run. */
  jobs(kind: string): number
  /** Whether a job of one of these kinds runs. */
  isRunning(kinds: readonly string[]): boolean
  /** Ends the process and starts another over the same data. */
  restart(): Promise<void>
  api<T>(method: string, path: string, body?: unknown): Promise<T>
}

/** The jobs of a forge that wait or run. */
function activeJobs(data: string): { kind: string; state: string }[] {
  const db = new Database(join(data, 'hearth.db'), { readonly: true })
  try {
    return db
      .query<{ kind: string; state: string }, []>(
        "SELECT kind, state FROM jobs WHERE state <> 'failed'",
      )
      .all()
  } finally {
    db.close()
  }
}

/** Starts a forge in a directory; `before` is the token of one that was there already. */
export async function startHearth(
  executable: string,
  directory: string,
  {
    name = 'hearth',
    environment = {},
    before = null,
  }: {
    name?: 'hearth' | 'beside'
    environment?: Record<string, string>
    before?: string | null
  } = {},
): Promise<Hearth> {
  mkdirSync(directory, { recursive: true })
  const start = () =>
    startForge({
      executable,
      data: join(directory, 'data'),
      log: join(directory, 'serve.log'),
      environment: { HEARTH_LOG_LEVEL: 'warn', ...environment },
    })
  let forge: ForgeProcess = await start()
  const token = before ?? (await claim(forge)).token
  const stores = new Map<string, string>()
  const api = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const response = await fetch(`${forge.url}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    })
    const text = await response.text()
    if (!response.ok)
      throw new Error(`${method} ${path} answered ${response.status}: ${text.slice(0, 500)}`)
    return JSON.parse(text) as T
  }
  return {
    name,
    token,
    api,
    get pid() {
      return forge.pid
    },
    get url() {
      return forge.url
    },
    authorization: basic('x', token),
    address: (repository) => `${forge.url}/acme/${repository}.git`,
    directory: (repository) => join(directory, 'data', 'repos', stores.get(repository) ?? ''),
    jobs: (kind) => activeJobs(join(directory, 'data')).filter((one) => one.kind === kind).length,
    isRunning: (kinds) =>
      activeJobs(join(directory, 'data')).some(
        ({ kind, state }) => state === 'running' && kinds.includes(kind),
      ),
    async create(repository) {
      const { id } = await api<{ id: string }>('POST', '/repos', {
        workspace: 'acme',
        name: repository,
        private: true,
      })
      stores.set(repository, id)
      // git's server does not look for secrets: what that costs is no part of the comparison.
      await api('PATCH', `/repos/acme/${repository}/settings`, {
        push_protection: false,
        secret_scanning: false,
      })
    },
    async restart() {
      await forge.stop()
      forge = await start()
    },
    async stop() {
      await forge.stop()
    },
  }
}

const BACKEND = '/usr/lib/git-core/git-http-backend'
const PASSWORD = 'correct horse'

/** git's settings on the server: objects are checked as they come, and the person may push. */
const SETTINGS =
  '[safe]\n\tdirectory = *\n[http]\n\treceivepack = true\n[receive]\n\tfsckObjects = true\n[receive "fsck"]\n\tzeroPaddedFilemode = ignore\n\tmissingSpaceBeforeDate = ignore\n[gc]\n\tauto = 0\n[uploadpack]\n\tallowFilter = true\n\tallowAnySHA1InWant = true\n'

async function answers(port: number): Promise<void> {
  const until = performance.now() + 10_000
  while (performance.now() < until) {
    try {
      await (await fetch(`http://127.0.0.1:${port}/`)).arrayBuffer()
      return
    } catch {
      await Bun.sleep(20)
    }
  }
  throw new Error(`nothing answers at port ${port}`)
}

/**
 * Who serves when this is run by root, since Apache refuses to: the user that Debian made for web
 * servers.
 */
function servant(): { uid: number; gid: number; name: string } | null {
  if (process.getuid?.() !== 0) return null
  const line = /^(www-data):[^:]*:(\d+):(\d+):/m.exec(readFileSync('/etc/passwd', 'utf8'))
  return line === null ? null : { name: line[1] ?? '', uid: Number(line[2]), gid: Number(line[3]) }
}

async function run(...command: string[]): Promise<void> {
  // Apache ends by a signal to its whole process group, which must not be ours.
  const child = Bun.spawn(['setsid', ...command], { stdio: ['ignore', 'ignore', 'pipe'] })
  const said = await new Response(child.stderr).text()
  if ((await child.exited) !== 0) throw new Error(`${command.join(' ')}: ${said}`)
}

/** Starts git's server for the bare repositories of a directory, behind lighttpd or Apache. */
export async function startGit(
  kind: 'lighttpd' | 'apache',
  root: string,
  directory: string,
): Promise<Server> {
  if (!existsSync(BACKEND)) throw new Error(`${BACKEND} is not there: install git`)
  mkdirSync(directory, { recursive: true })
  mkdirSync(root, { recursive: true })
  chmodSync(directory, 0o755)
  const settings = join(directory, 'gitconfig')
  writeFileSync(settings, SETTINGS)
  const port = freePort()
  const environment = {
    GIT_PROJECT_ROOT: root,
    GIT_HTTP_EXPORT_ALL: '1',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: settings,
  }
  const command =
    kind === 'lighttpd'
      ? lighttpd(directory, port, environment)
      : await apache(directory, port, environment)
  // Apache ends by a signal to its whole process group, which must not be ours.
  const child = Bun.spawn(['setsid', ...command], {
    stdio: ['ignore', Bun.file(join(directory, 'out.log')), Bun.file(join(directory, 'error.log'))],
  })
  await answers(port)
  const owner = kind === 'apache' ? servant() : null
  return {
    name: 'git',
    pid: child.pid,
    authorization: basic('git', PASSWORD),
    address: (repository) => `http://127.0.0.1:${port}/git/${repository}.git`,
    async create(repository) {
      const path = join(root, `${repository}.git`)
      await run('git', 'init', '-q', '--bare', path)
      if (owner) {
        await run('chown', '-R', `${owner.uid}:${owner.gid}`, path)
        chownSync(root, owner.uid, owner.gid)
      }
    },
    async stop() {
      child.kill('SIGTERM')
      await child.exited
    },
  }
}

function lighttpd(directory: string, port: number, environment: Record<string, string>): string[] {
  writeFileSync(join(directory, 'users'), `git:${PASSWORD}\n`)
  const variables = Object.entries(environment).map(([name, value]) => `"${name}" => "${value}"`)
  writeFileSync(
    join(directory, 'lighttpd.conf'),
    `server.document-root = "${directory}"
server.bind = "127.0.0.1"
server.port = ${port}
server.modules = ("mod_alias", "mod_setenv", "mod_auth", "mod_authn_file", "mod_cgi")
server.upload-dirs = ("${directory}")
server.stream-response-body = 2
auth.backend = "plain"
auth.backend.plain.userfile = "${directory}/users"
auth.require = ("/git" => ("method" => "basic", "realm" => "git", "require" => "valid-user"))
alias.url = ("/git" => "${BACKEND}")
$HTTP["url"] =~ "^/git" {
  cgi.assign = ("" => "")
  setenv.set-environment = (${variables.join(', ')})
}
`,
  )
  return ['/usr/sbin/lighttpd', '-D', '-f', join(directory, 'lighttpd.conf')]
}

const MODULES = [
  'mpm_prefork',
  'authn_core',
  'authn_file',
  'authz_core',
  'authz_user',
  'auth_basic',
  'cgi',
  'env',
  'alias',
]

async function apache(
  directory: string,
  port: number,
  environment: Record<string, string>,
): Promise<string[]> {
  const hash = (await Bun.password.hash(PASSWORD, { algorithm: 'bcrypt', cost: 4 })).replace(
    /^\$2b\$/,
    '$2y$',
  )
  writeFileSync(join(directory, 'users'), `git:${hash}\n`)
  const owner = servant()
  const conf = `ServerRoot "${directory}"
ServerName 127.0.0.1
PidFile "${directory}/pid"
Listen 127.0.0.1:${port}
${MODULES.map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`).join('\n')}
${owner ? `User ${owner.name}\nGroup ${owner.name}\n` : ''}ErrorLog "${directory}/error.log"
DefaultRuntimeDir "${directory}"
StartServers 4
${Object.entries(environment)
  .map(([name, value]) => `SetEnv ${name} "${value}"`)
  .join('\n')}
ScriptAlias /git ${BACKEND}
LimitRequestBody 0
<LocationMatch "^/git">
  AuthType Basic
  AuthName git
  AuthBasicProvider file
  AuthUserFile "${directory}/users"
  Require valid-user
</LocationMatch>
`
  writeFileSync(join(directory, 'apache.conf'), conf)
  return ['/usr/sbin/apache2', '-DFOREGROUND', '-f', join(directory, 'apache.conf')]
}
