import { prepareData } from '#src/app.ts'
import { createLog } from '#lib/log.ts'
import { systemClock } from '#lib/time.ts'
import type { Channel } from '#src/standby/channel.ts'
import { TakeOverRefusal } from '#src/standby/follower.ts'
import { createPairKey, pairKeyPath } from '#src/standby/pair-key.ts'
import { readRole, writeRole } from '#src/standby/role.ts'
import { existsSync } from 'node:fs'
import { CommandError, DATA_FLAGS, UsageError, type Command, type Flags } from '../command.ts'
import { say } from '../terminal.ts'
import { openOwnChannel } from './describe.ts'
import { configOf, follow, lockDirectory, openFollower, requireStandbySettings } from './follow.ts'

/** A standby that was just started connects within this time. */
const CONNECT_WAIT_MS = 5_000

async function key(flags: Flags): Promise<void> {
  const { data } = configOf(flags)
  prepareData(data)
  const path = pairKeyPath(data)
  if (existsSync(path)) throw new CommandError(`${path} exists: copy it to the second machine`)
  createPairKey(data, systemClock)
  say(`made ${path}: copy it to the same place of the second machine, over a way that you trust`)
}

/** A connection to the process that runs on this machine; null when none does. */
async function openOwn(flags: Flags): Promise<Channel | null> {
  const config = configOf(flags)
  const { listen } = requireStandbySettings(config)
  try {
    return await openOwnChannel(config.data, listen)
  } catch (error) {
    throw new CommandError((error as Error).message)
  }
}

async function status(flags: Flags): Promise<void> {
  const channel = await openOwn(flags)
  if (channel === null) {
    const { role, term, peer } = readRole(configOf(flags).data)
    return say(`${role} of term ${term}, other machine ${peer ?? 'unknown'}; nothing runs here`)
  }
  await channel.send({ type: 'status' })
  const { message } = await channel.receive()
  channel.close()
  say(`${String(message.role)} of term ${String(message.term)}`)
  for (const [name, value] of Object.entries(message.status as Record<string, unknown>))
    if (name !== 'role' && name !== 'term') say(`  ${name.padEnd(14)} ${String(value)}`)
}

async function takeOver(flags: Flags): Promise<void> {
  const { data } = configOf(flags)
  const { role, term, peer } = readRole(data)
  const force = flags.force === true
  if (role === 'primary') return say(`this machine is the primary already, of term ${term}`)
  if (role === 'fenced') {
    if (!force)
      throw new CommandError(
        `${peer ?? 'the other machine'} has taken over, and may have changes that are not here. With --force this machine serves again without them`,
      )
    const release = lockDirectory(data)
    writeRole(data, { ...readRole(data), role: 'primary', term: term + 1, complete: false })
    release()
    return say(`this machine is the primary of term ${term + 1}: start "hearth serve"`)
  }
  const channel = await openOwn(flags)
  if (channel === null) return await takeOverAlone(flags, force)
  await channel.send({ type: 'promote', force })
  for (;;) {
    const { message } = await channel.receive()
    if (message.type === 'refused') throw new CommandError(String(message.reason))
    if (message.type === 'promoted') break
    say(String(message.line))
  }
  channel.close()
  say(`this machine is the primary of term ${term + 1} and serves`)
}

/** Takes over where no process follows. */
async function takeOverAlone(flags: Flags, force: boolean): Promise<void> {
  const config = configOf(flags)
  const release = lockDirectory(config.data)
  const follower = openFollower(config, createLog({ level: 'error', json: false }), undefined)
  try {
    await follower.start()
    const until = performance.now() + CONNECT_WAIT_MS
    while (!follower.status().is_following && performance.now() < until) await Bun.sleep(50)
    const { term } = await follower.takeOver(force, say)
    say(`this machine is the primary of term ${term}: start "hearth serve"`)
  } catch (error) {
    await follower.stop()
    if (error instanceof TakeOverRefusal) throw new CommandError(error.message)
    throw error
  } finally {
    release()
  }
}

async function detach(flags: Flags): Promise<void> {
  const { data } = configOf(flags)
  if (readRole(data).role !== 'primary') throw new CommandError('this machine is not the primary')
  const channel = await openOwn(flags)
  if (channel === null) throw new CommandError('nothing serves here: start "hearth serve" first')
  await channel.send({ type: 'detach' })
  const { message } = await channel.receive()
  channel.close()
  if (message.type !== 'detached') throw new CommandError('this machine could not be detached')
  say(
    `goes on without its standby, as the primary of term ${String(message.term)}. Make sure that the other machine does not take over`,
  )
}

const ACTIONS: Readonly<
  Record<string, (flags: Flags, address: string | undefined) => Promise<number | void>>
> = { key, follow, status, takeover: takeOver, detach }

export const standby: Command = {
  name: 'standby',
  summary: `A second machine that has everything and takes over by one command:

  key                 makes the key of the pair, which is copied to the second machine
  follow [HOST:PORT]  keeps a copy of the machine whose standby.listen that is, and serves after a take-over
  status              says which of the two this machine is, and how far they are apart
  takeover            makes this machine the one that serves; the other one changes nothing any more
  detach              lets the first machine go on when its standby is gone for good

Both machines set standby.listen.`,
  brief: 'Keeps a second machine ready, and takes over from the first.',
  args: [Object.keys(ACTIONS).join('|'), '[HOST:PORT]'],
  flags: {
    ...DATA_FLAGS,
    listen: { value: 'HOST:PORT', help: 'follow: where to listen, as for serve.' },
    rejoin: {
      help: 'follow: turns a directory that has served into a copy; its database is kept.',
    },
    force: {
      help: 'takeover: the first machine is switched off, or its changes may be lost.',
    },
  },

  async run({ args: [action = '', address], flags }) {
    const run = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined
    if (!run)
      throw new UsageError(`hearth standby takes ${Object.keys(ACTIONS).join(', ')}, not ${action}`)
    return (await run(flags, address)) ?? 0
  },
}
