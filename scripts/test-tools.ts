/**
 * The programs that the tests run beside Bun: real clients and servers instead of imitations of
 * them. `npm test` calls `requireTestTools` first: as root on Debian and its relatives it installs
 * what is missing, elsewhere it prints the one line to run.
 */
import { existsSync } from 'node:fs'
import { CHROMIUM, isShellInstalled } from './support/chromium.ts'

export type TestTool = {
  readonly name: string
  /** What the tests use it for. */
  readonly use: string
  /** The package that holds it in Debian, Fedora, Alpine and Arch, in this order. */
  readonly packages: readonly [debian: string, fedora: string, alpine: string, arch: string]
  readonly isInstalled: () => boolean
  /** Elsewhere a test that needs it says that it is left out. */
  readonly isOnlyForCi?: true
}

const isCommand = (command: string) => () => Bun.which(command) !== null

export const TEST_TOOLS: readonly TestTool[] = [
  {
    name: 'git',
    use: 'the reference for the git engine, and a client',
    packages: ['git', 'git', 'git', 'git'],
    isInstalled: isCommand('git'),
  },
  {
    name: 'git-lfs',
    use: 'a client of large files',
    packages: ['git-lfs', 'git-lfs', 'git-lfs', 'git-lfs'],
    isInstalled: isCommand('git-lfs'),
  },
  {
    name: 'ssh',
    use: 'a client of the SSH server',
    packages: ['openssh-client', 'openssh-clients', 'openssh-client', 'openssh'],
    isInstalled: isCommand('ssh'),
  },
  {
    name: 'chromium',
    use: 'tests of pages',
    packages: ['chromium', 'chromium', 'chromium', 'chromium'],
    isInstalled: () => existsSync(CHROMIUM),
  },
  {
    name: 'chromium-headless-shell',
    use: 'the same pages in a third of the time',
    packages: ['chromium-headless-shell', 'chromium', 'chromium', 'chromium'],
    isInstalled: isShellInstalled,
  },
  {
    name: 'openssl',
    use: 'certificates for tests of TLS',
    packages: ['openssl', 'openssl', 'openssl', 'openssl'],
    isInstalled: isCommand('openssl'),
  },
  {
    name: 'slapd',
    use: 'a directory server for tests of sign-on by LDAP',
    packages: ['slapd', 'openldap-servers', 'openldap', 'openldap'],
    isInstalled: () => ['/usr/sbin/slapd', '/usr/bin/slapd'].some(existsSync),
  },
  {
    name: 'slirp4netns',
    use: 'the internet for jobs, without the machine',
    packages: ['slirp4netns', 'slirp4netns', 'slirp4netns', 'slirp4netns'],
    isInstalled: isCommand('slirp4netns'),
  },
  {
    name: 'iproute2',
    use: 'rules of the network of jobs',
    packages: ['iproute2', 'iproute', 'iproute2', 'iproute2'],
    isInstalled: isCommand('ip'),
  },
  {
    name: 'bubblewrap',
    use: 'isolation for the commands of checks',
    packages: ['bubblewrap', 'bubblewrap', 'bubblewrap', 'bubblewrap'],
    isInstalled: isCommand('bwrap'),
  },
  {
    name: 'skopeo',
    use: 'a client of the registry of images',
    packages: ['skopeo', 'skopeo', 'skopeo', 'skopeo'],
    isInstalled: isCommand('skopeo'),
    isOnlyForCi: true,
  },
  {
    name: 'bundler',
    use: 'a client of the registry of gems, with ruby and gem',
    packages: ['bundler', 'rubygem-bundler', 'ruby-bundler', 'ruby-bundler'],
    isInstalled: isCommand('bundle'),
    isOnlyForCi: true,
  },
  {
    name: 'composer',
    use: 'a client of the registry of Composer, with php',
    packages: ['composer', 'composer', 'composer', 'composer'],
    isInstalled: isCommand('composer'),
    isOnlyForCi: true,
  },
  {
    name: 'php-mbstring',
    use: 'what composer shows errors with',
    packages: ['php-mbstring', 'php-mbstring', 'php83-mbstring', 'php'],
    isInstalled: () =>
      isCommand('php')() &&
      Bun.spawnSync(['php', '-r', 'exit(function_exists("mb_substr") ? 0 : 1);']).exitCode === 0,
    isOnlyForCi: true,
  },
  {
    name: 'unzip',
    use: 'what composer unpacks archives with',
    packages: ['unzip', 'unzip', 'unzip', 'unzip'],
    isInstalled: isCommand('unzip'),
    isOnlyForCi: true,
  },
]

/** What this machine has to have: only in CI the clients that most people do not have. */
const isRequired = ({ isOnlyForCi }: TestTool): boolean =>
  isOnlyForCi !== true || process.env.CI !== undefined

/** The package managers in the order of `TestTool.packages`, with how each installs. */
const MANAGERS = [
  {
    command: 'apt-get',
    install: 'apt-get install -y --no-install-recommends',
    refresh: 'apt-get update -qq',
  },
  { command: 'dnf', install: 'dnf install -y', refresh: null },
  { command: 'apk', install: 'apk add', refresh: null },
  { command: 'pacman', install: 'pacman -S --noconfirm', refresh: null },
] as const

/** The commands that install what is missing; null when no known package manager is here. */
export function installCommands(
  missing: readonly TestTool[],
  manager = MANAGERS.findIndex(({ command }) => Bun.which(command) !== null),
): string[] | null {
  const found = MANAGERS[manager]
  if (!found) return null
  const packages = missing.map(({ packages }) => packages[manager])
  const install = `${found.install} ${packages.join(' ')}`
  return found.refresh === null ? [install] : [found.refresh, install]
}

/**
 * Installs the missing test tools, or says how. Throws an Error when something is still missing,
 * because a test without its tool would have to be skipped.
 */
export async function requireTestTools(): Promise<void> {
  const missing = TEST_TOOLS.filter((tool) => isRequired(tool) && !tool.isInstalled())
  if (missing.length === 0) return
  const list = missing.map(({ name, use }) => `${name} (${use})`).join(', ')
  process.stdout.write(`The tests need ${list}.\n`)
  const commands = installCommands(missing)
  const isRoot = process.getuid?.() === 0
  if (commands === null || !isRoot) {
    const line = commands?.map((command) => `sudo ${command}`).join(' && ')
    throw new Error(line ? `Install them with:\n\n  ${line}\n` : 'Install them, then try again.')
  }
  for (const command of commands) {
    process.stdout.write(`${command}\n`)
    const status = await Bun.spawn(command.split(' '), {
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      stdio: ['ignore', 'ignore', 'inherit'],
    }).exited
    if (status !== 0) throw new Error(`"${command}" ended with status ${status}`)
  }
  const left = TEST_TOOLS.filter((tool) => isRequired(tool) && !tool.isInstalled())
  const names = left.map(({ name }) => name).join(', ')
  if (left.length > 0) throw new Error(`still missing after the installation: ${names}`)
}
