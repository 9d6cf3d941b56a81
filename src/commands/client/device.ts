/** Signs in with device codes: this polls until the person approves in a browser. */
import { hostname } from 'node:os'
import { VERSION } from '#src/config.ts'
import { CommandError } from '../command.ts'
import type { Credential } from './credentials.ts'

type DeviceCode = {
  device_code: string
  user_code: string
  verification_uri: string
  verification_uri_complete: string
  expires_in: number
  interval: number
}
type TokenResponse = {
  status: 'pending' | 'approved' | 'denied' | 'expired'
  token?: string
  username?: string
  verified?: boolean
}

const USER_AGENT = `hearth/${VERSION} (${process.platform} ${process.arch})`

/** The address is no forge, or it cannot be reached. */
export class NoForge extends CommandError {}

async function requestDevice<T>(origin: string, path: string, body: unknown): Promise<T> {
  const response = await fetch(`${origin}/api/v1/device/${path}`, {
    method: 'POST',
    // The page on which the user approves shows this.
    headers: { 'content-type': 'application/json', 'user-agent': USER_AGENT },
    body: JSON.stringify(body),
    redirect: 'error',
    signal: AbortSignal.timeout(30_000),
  })
  const value = (await response.json().catch(() => null)) as
    | (T & { error?: { message?: string } })
    | null
  if (!response.ok || value === null)
    throw new NoForge(value?.error?.message ?? `${origin} answered with status ${response.status}`)
  return value
}

const unreachable =
  (origin: string) =>
  (error: unknown): never => {
    throw error instanceof CommandError
      ? error
      : new NoForge(
          `${origin} cannot be reached: ${error instanceof Error ? error.message : String(error)}`,
        )
  }

/**
 * `print` writes instructions for the user. Throws NoForge, and CommandError when the user denies,
 * or approves neither before the code expires nor within `timeoutMs`.
 */
export async function signInByDevice(
  origin: string,
  print: (text: string) => void,
  timeoutMs = Number.POSITIVE_INFINITY,
): Promise<Credential> {
  const code = await requestDevice<DeviceCode>(origin, 'code', {
    client_name: `hearth on ${hostname()}`,
  }).catch(unreachable(origin))
  if (typeof code.device_code !== 'string' || typeof code.user_code !== 'string')
    throw new NoForge(`${origin} is not a forge of this kind`)
  print(
    `To sign in, open ${code.verification_uri_complete}\nand compare the code ${code.user_code}\n`,
  )
  const end = performance.now() + Math.min(timeoutMs, code.expires_in * 1000)
  while (performance.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, Math.max(1, code.interval) * 1000))
    // The code survives a short loss of the connection.
    const answer = await requestDevice<TokenResponse>(origin, 'token', {
      device_code: code.device_code,
    }).catch((error: unknown): TokenResponse => {
      if (error instanceof NoForge) throw error
      return { status: 'pending' }
    })
    if (answer.status === 'denied') throw new CommandError('the sign-in was denied')
    if (answer.status === 'expired') break
    if (
      answer.status === 'approved' &&
      answer.token !== undefined &&
      answer.username !== undefined
    ) {
      if (answer.verified === false)
        print(`Before you push, confirm your email address: ${origin}/settings/emails\n`)
      return { username: answer.username, token: answer.token }
    }
  }
  throw new CommandError('nobody approved the sign-in in time; try again')
}
