/** The messages that a forge without mail settings wrote, oldest first. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { World } from '../../world.ts'

export type Letter = {
  file: string
  to: string
  subject: string
  text: string /** The secret of the link in it, if there is one. */
  token: string | null
}

export async function letters(world: World): Promise<Letter[]> {
  await world.jobs()
  const directory = join(world.data, 'outbox')
  if (!existsSync(directory)) return []
  return readdirSync(directory)
    .sort()
    .map((file) => {
      const text = readFileSync(join(directory, file), 'utf8')
      const header = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(text)?.[1] ?? ''
      return {
        file,
        to: header('To'),
        subject: header('Subject'),
        text,
        token: /\?token=([\w-]+)\s/.exec(text)?.[1] ?? null,
      }
    })
}

/** The newest link that was mailed to an address. */
export async function tokenFor(world: World, address: string): Promise<string> {
  const letter = (await letters(world)).findLast(
    ({ to, token }) => to === address && token !== null,
  )
  if (letter?.token == null) throw new Error(`no link was mailed to ${address}`)
  return letter.token
}
