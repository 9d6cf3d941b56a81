/** The mails that a forge without a mail server wrote to its outbox, oldest first. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { World } from '../../world.ts'

export type SentMail = {
  file: string
  to: string
  subject: string
  text: string /** The secret of the link in it, if there is one. */
  token: string | null
}

export async function sentMails(world: World): Promise<SentMail[]> {
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

/** The secret of the newest link that was mailed to an address. */
export async function mailedToken(world: World, address: string): Promise<string> {
  const letter = (await sentMails(world)).findLast(
    ({ to, token }) => to === address && token !== null,
  )
  if (letter?.token == null) throw new Error(`no link was mailed to ${address}`)
  return letter.token
}
