/**
 * Finds bubblewrap: that of the system where it is new enough, because profiles of AppArmor allow
 * programs by path; else the one that this executable brings along, unpacked beside the folder of
 * jobs.
 */
import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { bundledProgram } from './bundled.ts'
import { MINIMAL_ENV, PATH } from './shell.ts'

export type Bubblewrap = {
  readonly version: string
  /** The folder of a bundled program `bwrap`; null for the system's. */
  readonly folder: string | null
}

/** `system`: the system's or none. `bundled`: the bundled one or none. */
export type BubblewrapChoice = 'any' | 'system' | 'bundled'

/** bubblewrap has `--disable-userns` since this version. */
const MIN_VERSION = [0, 8] as const

const isOlder = (version: string, [major, minor]: readonly [number, number]): boolean => {
  const [ownMajor = 0, ownMinor = 0] = version.split('.').map(Number)
  return ownMajor < major || (ownMajor === major && ownMinor < minor)
}

/** Null for a program that cannot be executed here. */
async function readVersion(program: string): Promise<string | null> {
  try {
    const child = Bun.spawn([program, '--version'], {
      env: MINIMAL_ENV,
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'ignore',
    })
    return /^bubblewrap (\d[\d.]*)/.exec(await new Response(child.stdout).text())?.[1] ?? null
  } catch {
    return null
  }
}

/**
 * Writes a program below `parent`, in a folder with the digest of its bytes, unless it is there. It
 * appears whole or not at all. Users other than the server's execute it through a mount.
 */
async function unpack(parent: string, bytes: Uint8Array): Promise<string> {
  const digest = new Bun.CryptoHasher('sha256').update(bytes).digest('hex')
  const folder = join(parent, `bwrap-${digest}`)
  const program = join(folder, 'bwrap')
  const found = await readFile(program).catch(() => null)
  if (found?.equals(bytes)) return folder
  await mkdir(folder, { recursive: true })
  const staged = join(folder, crypto.randomUUID())
  await writeFile(staged, bytes)
  // Whatever the umask of the server.
  for (const path of [staged, folder]) await chmod(path, 0o755)
  await rename(staged, program)
  return folder
}

/** Returns the reason, in one line, when there is none. `parent` gets the bundled one. */
export async function findBubblewrap(
  parent: string,
  choice: BubblewrapChoice,
): Promise<Bubblewrap | string> {
  let reason = 'bubblewrap is not installed; install the package bubblewrap and restart'
  if (choice !== 'bundled' && Bun.which('bwrap', { PATH }) !== null) {
    const version = await readVersion('bwrap')
    if (version !== null && !isOlder(version, MIN_VERSION)) return { version, folder: null }
    reason = `bubblewrap ${version ?? 'of an unknown version'} is too old; 0.8 or newer is needed`
  }
  const bytes = choice === 'system' ? null : await bundledProgram('bwrap')
  if (bytes === null) return reason
  const folder = await unpack(parent, bytes)
  const version = await readVersion(join(folder, 'bwrap'))
  return version === null
    ? `${reason}. The one of this executable cannot be executed in ${dirname(folder)}, which may be mounted with noexec`
    : { version, folder }
}
