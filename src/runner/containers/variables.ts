/** Variables of a container on their way through the client, past everybody who sees arguments. */
import { rm, writeFile } from 'node:fs/promises'
import type { Environment } from './client.ts'

/** Variables that change the client itself, or what it starts. */
const OF_CLIENT =
  /^(?:_|[A-Z]*PATH|HOME|USER|LOGNAME|LANG|LC_|LOC|TZ|TERM|TMP|LD_|XDG_|OTEL_|XTABLES|IPTABLES|GLIBC_|GCONV|MALLOC_|GO|RUST|SSL_|SSH_|SUDO_|CONTAINER|CNI|NETAVARK|AARDVARK|REGISTRY_|STORAGE_|BUILDAH_|PODMAN_|DOCKER_|CRUN|DBUS_|NOTIFY_|LISTEN_|SYSTEMD_|JOURNAL|INVOCATION|HTTPS?_|ALL_|FTP_|NO_)/i

/** What clients read from a line of a file as it stands, in all their versions. */
const PLAIN_NAME = /^[A-Za-z_][A-Za-z0-9_.-]*$/
const PLAIN_VALUE = /^[A-Za-z0-9 !#$%&()*+,./:;<=>?@[\]^_{|}~-]{0,30000}$/

/** Variables of a container, as arguments and environment of the client and as a file. */
export type Variables = {
  readonly argv: readonly string[]
  readonly env: Environment
  readonly file: string
}

/**
 * Values pass through a file, and those that a file cannot have through the client's environment,
 * because arguments are public. Only a value with line ends whose name changes the client is one.
 */
export function variablesOf(env: Environment): Variables {
  const argv: string[] = []
  const passed: Record<string, string> = {}
  const lines: string[] = []
  for (const [name, value] of Object.entries(env)) {
    if (name === '' || /[=\0*\s]/.test(name)) continue
    const clean = value.replaceAll('\0', '')
    if (PLAIN_NAME.test(name) && PLAIN_VALUE.test(clean)) lines.push(`${name}=${clean}\n`)
    else if (OF_CLIENT.test(name)) argv.push('--env', `${name}=${clean}`)
    else {
      argv.push('--env', name)
      passed[name] = clean
    }
  }
  return { argv, env: passed, file: lines.join('') }
}

/** Calls with the variables, whose file exists only meanwhile. `path` is one of the server's. */
export async function withVariables<T>(
  path: string,
  { argv, env, file }: Variables,
  call: (argv: readonly string[], env: Environment) => Promise<T>,
): Promise<T> {
  try {
    await writeFile(path, file, { mode: 0o600, flag: 'wx' })
    return await call(['--env-file', path, ...argv], env)
  } finally {
    await rm(path, { force: true })
  }
}
