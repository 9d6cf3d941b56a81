/** SSH clients by other authors, fetched from their registries. */
import { copyFileSync, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'

const HERE = import.meta.dir

export type Ran = {
  readonly status: number
  readonly out: string
  readonly error: string
  /** It did not end by itself. */
  readonly wasKilled: boolean
}

export type Person = { readonly key: string; readonly port: number; readonly home: string }

/** A client either carries git's own transport, or is git and SSH in one. */
export type SshClient = {
  readonly name: string
  readonly version: readonly string[]
  /** Whether it takes its own form of a private key; OpenSSH's unless it does. */
  readonly makeKey?: (file: string) => Promise<string>
} & ({ readonly carries: (person: Person) => string } | { readonly command: readonly string[] })

const RUN_TIMEOUT_MS = 120_000

export async function run(
  command: readonly string[],
  cwd: string,
  more: Record<string, string> = {},
): Promise<Ran> {
  const child = Bun.spawn([...command], {
    cwd,
    env: {
      PATH: process.env.PATH ?? '',
      HOME: cwd,
      LC_ALL: 'C',
      GIT_TERMINAL_PROMPT: '0',
      GIT_CONFIG_NOSYSTEM: '1',
      ...more,
    },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const timer = setTimeout(() => child.kill(), RUN_TIMEOUT_MS)
  const [out, error, status] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  clearTimeout(timer)
  return { status, out, error, wasKilled: child.signalCode !== null }
}

async function must(cwd: string, ...command: string[]): Promise<string> {
  const { status, out, error } = await run(command, cwd, { HOME: process.env.HOME ?? cwd })
  if (status !== 0)
    throw new Error(`${command.slice(0, 3).join(' ')}: ${(error + out).slice(-300)}`)
  return out
}

/** Gives the line of the public half. */
export async function opensshKey(file: string): Promise<string> {
  await must('/', 'ssh-keygen', '-q', '-N', '', '-t', 'ed25519', '-f', file)
  return await Bun.file(`${file}.pub`).text()
}

export const opensshCommand = ({ key, port, home }: Person): string =>
  [
    `ssh -F /dev/null -i ${key} -p ${port}`,
    `-o StrictHostKeyChecking=no -o UserKnownHostsFile=${home}/hosts -o IdentitiesOnly=yes`,
    '-o BatchMode=yes -o LogLevel=ERROR',
  ].join(' ')

/** Debian's programs without an installation, which would need root. */
async function fetchDropbear(tools: string): Promise<string> {
  const root = join(tools, 'deb')
  if (!existsSync(join(root, 'usr/bin/dbclient'))) {
    mkdirSync(root, { recursive: true })
    const packages = ['dropbear-bin', 'libtomcrypt1', 'libtommath1', 'libgmp10']
    await must(root, 'apt-get', 'download', '-q', ...packages)
    for (const file of new Bun.Glob('*.deb').scanSync(root))
      await must(root, 'dpkg', '-x', file, '.')
  }
  return `env LD_LIBRARY_PATH=${root}/usr/lib/x86_64-linux-gnu ${root}/usr/bin/`
}

async function fetchJgit(tools: string): Promise<string> {
  const home = join(tools, 'jgit')
  if (!existsSync(join(home, 'lib'))) {
    mkdirSync(home, { recursive: true })
    copyFileSync(join(HERE, 'pom.xml'), join(home, 'pom.xml'))
    await must(home, 'mvn', '-q', 'dependency:copy-dependencies', '-DoutputDirectory=lib')
  }
  return join(home, 'lib', '*')
}

/** Prepares them below a directory; what is there already is taken as it is. */
export async function prepareClients(
  tools: string,
): Promise<{ clients: readonly SshClient[]; audit: string }> {
  const bin = join(tools, 'venv', 'bin')
  if (!existsSync(join(bin, 'ssh-audit'))) {
    await must(tools, 'python3', '-m', 'venv', 'venv')
    await must(tools, join(bin, 'pip'), 'install', '-q', 'paramiko', 'pygit2', 'ssh-audit')
  }
  const python = join(bin, 'python')
  const [dropbear, jgit] = [await fetchDropbear(tools), await fetchJgit(tools)]
  const paramiko = [python, join(HERE, 'by-paramiko.py')]
  const libssh2 = [python, join(HERE, 'by-libssh2.py')]
  const java = ['java', '-cp', jgit, join(HERE, 'JGitSsh.java')]
  const dropbearKey = async (file: string): Promise<string> => {
    const keygen = `${dropbear}dropbearkey`.split(' ')
    await must('/', ...keygen, '-t', 'ed25519', '-f', file)
    const said = await must('/', ...keygen, '-y', '-f', file)
    return said.split('\n').find((line) => line.startsWith('ssh-')) ?? ''
  }
  const clients: SshClient[] = [
    { name: 'OpenSSH', version: ['ssh', '-V'], carries: opensshCommand },
    {
      name: 'paramiko',
      version: [...paramiko, 'version'],
      carries: ({ key, port }) => `env SSH_KEY=${key} SSH_PORT=${port} ${paramiko.join(' ')}`,
    },
    {
      name: 'dropbear',
      version: [...`${dropbear}dbclient`.split(' '), '-V'],
      makeKey: dropbearKey,
      carries: ({ key, port }) => `${dropbear}dbclient -y -y -i ${key} -p ${port}`,
    },
    {
      name: 'libgit2 with libssh2',
      version: [...libssh2, 'version', '-', '-', '-'],
      command: libssh2,
    },
    { name: 'JGit with Apache MINA', version: [...java, 'version'], command: java },
  ]
  return { clients, audit: join(bin, 'ssh-audit') }
}
