/** Short conversations with the other machine: who serves, and with which term. */
import { ChannelError, type Address, type Channel } from './channel.ts'

export type Greeting = { readonly role: 'primary' | 'standby' | 'fenced'; readonly term: number }

/** Parses `HOST:PORT` or `[ADDRESS]:PORT`; null for other texts. */
export function parseAddress(text: string): Address | null {
  const match = /^(?:\[([0-9a-fA-F:]+)\]|([^:\s]+)):(\d{1,5})$/.exec(text)
  const port = Number(match?.[3])
  return match && port > 0 && port < 65_536 ? { host: match[1] ?? match[2] ?? '', port } : null
}

/** Exchanges roles and terms. Throws when the other machine does not answer. */
export async function greet(channel: Channel, mine: Greeting): Promise<Greeting> {
  await channel.send({ type: 'greet', ...mine })
  const { message } = await channel.receive()
  if (message.type !== 'greeting') throw new ChannelError('it answers something else')
  return message as unknown as Greeting
}
