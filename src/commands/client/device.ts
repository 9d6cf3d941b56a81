/** Signs in at a forge by its device codes: a person approves in any browser while this waits. */
import { hostname } from 'node:os'
import { CommandError } from '../command.ts'
import type { Credential } from './credentials.ts'

type Code = {
  device_code: string
  user_code: string
  verification_uri: string
  verification_uri_complete: string
  expires_in: number
  interval: number
}
type Answer = {
  status: 'pending' | 'approved' | 'denied' | 'expired'
  token?: string
  username?: string
  verified?: boolean
}

/** There is no forge of this kind at the address. */
export class NoForge extends CommandError {}

async function ask<T>(origin: string, path: string, body: unknown): Promise<T> {
  const response = await fetch(`${origin}/api/v1/device/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
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
 * `say` gets what the person has to read. Gives NoForge, and CommandError when they deny or do
 * nothing for a quarter of an hour.
 */
export async function signInByDevice(
  origin: string,
  say: (text: string) => void,
): Promise<Credential> {
  const code = await ask<Code>(origin, 'code', { client_name: `hearth on ${hostname()}` }).catch(
    unreachable(origin),
  )
  if (typeof code.device_code !== 'string' || typeof code.user_code !== 'string')
    throw new NoForge(`${origin} is not a forge of this kind`)
  say(
    `To sign in, open ${code.verification_uri_complete}\nand compare the code ${code.user_code}\n`,
  )
  const end = performance.now() + code.expires_in * 1000
  while (performance.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, Math.max(1, code.interval) * 1000))
    // The connection may be gone for a moment; the code is still good.
    const answer = await ask<Answer>(origin, 'token', { device_code: code.device_code }).catch(
      (error: unknown): Answer => {
        if (error instanceof NoForge) throw error
        return { status: 'pending' }
      },
    )
    if (answer.status === 'denied') throw new CommandError('the sign-in was denied')
    if (answer.status === 'expired') break
    if (
      answer.status === 'approved' &&
      answer.token !== undefined &&
      answer.username !== undefined
    ) {
      if (answer.verified === false)
        say('Confirm the address of your account before you push: the link was mailed to you.\n')
      return { username: answer.username, token: answer.token }
    }
  }
  throw new CommandError('nobody approved the sign-in in time; try again')
}
