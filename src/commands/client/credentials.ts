/** The tokens of a person for their forges: `<config>/hearth/credentials.json`, for them only. */
import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { credentialsPath } from '#src/config.ts'
import { CommandError } from '../command.ts'

export type Credential = { readonly username: string; readonly token: string }

/** By the origin of the forge. */
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

/** Stores the token of a forge, or removes it for null. The file is replaced atomically. */
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

/** The origin of an address. Throws CommandError for an invalid one. */
export function originOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  if (!url || !/^https?:$/.test(url.protocol))
    throw new CommandError(
      `${JSON.stringify(text)} is not the address of a forge, such as https://git.example.com`,
    )
  return url.origin
}
