/**
 * Tokens of this person for the forges they signed in to: `<config>/hearth/credentials.json`,
 * readable by them alone.
 */
import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { credentialsPath } from '#src/config.ts'
import { CommandError } from '../command.ts'

export type Credential = { readonly username: string; readonly token: string }

/** By the address of the forge, without a path. */
export type Credentials = Readonly<Record<string, Credential>>

export function loadCredentials(path = credentialsPath()): Credentials {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if (
      (error as NodeJS.ErrnoException).code === 'ENOENT' ||
      (error as NodeJS.ErrnoException).code === 'ENOTDIR'
    )
      return {}
    throw error
  }
  try {
    return JSON.parse(text) as Credentials
  } catch {
    throw new CommandError(`${path} is not JSON; take it away and sign in again`)
  }
}

/**
 * Puts one forge's token in, or takes it out for null. The file changes as a whole or not at all.
 */
export function saveCredential(
  origin: string,
  credential: Credential | null,
  path = credentialsPath(),
): void {
  const { [origin]: _, ...others } = loadCredentials(path)
  const all: Credentials = credential === null ? others : { ...others, [origin]: credential }
  const directory = dirname(path)
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const partial = `${path}.${process.pid}.partial`
  writeFileSync(partial, `${JSON.stringify(all, null, 2)}\n`, { mode: 0o600, flag: 'w' })
  chmodSync(partial, 0o600)
  renameSync(partial, path)
}

/** The forge that an address belongs to. Gives CommandError for what is no address. */
export function originOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  if (!url || !/^https?:$/.test(url.protocol))
    throw new CommandError(
      `${JSON.stringify(text)} is not the address of a forge, such as https://git.example.com`,
    )
  return url.origin
}
