/** What the door of an agent program takes at most. */
import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { agentTools } from '#core/agent-tools.ts'
import type { AgentCaller } from '#core/caller.ts'
import { openDoor } from '#features/agent-runs/program/door.ts'
import { MINUTE } from '#lib/time.ts'
import { makeWorld } from '../../../world.ts'

const folder = mkdtempSync(join(tmpdir(), 'door-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Two doors of a forge whose tools count what reaches them. */
async function makeDoors() {
  const world = await makeWorld()
  let reached = 0
  agentTools(world.hearth).answer = () => {
    reached++
    return Promise.resolve(Response.json({ result: {} }))
  }
  let ended = false
  const caller = { kind: 'agent', id: 'agt_1' } as unknown as AgentCaller
  const open = async (name: string) => {
    const socket = join(mkdtempSync(join(folder, name)), 'socket')
    const door = await openDoor({
      hearth: world.hearth,
      socket,
      caller: () => (ended ? null : caller),
    })
    const post = async (body = '{}') => {
      const response = await fetch('http://door/mcp', { unix: socket, method: 'POST', body })
      return { status: response.status, text: await response.text() }
    }
    return { ...door, post }
  }
  return {
    world,
    open,
    reached: () => reached,
    end: () => {
      ended = true
    },
  }
}

test('a program asks the tools three hundred times a minute at most, each by its own count', async () => {
  const { world, open, reached } = await makeDoors()
  const [first, second] = [await open('a'), await open('b')]
  for (let at = 0; at < 300; at++) expect((await first.post()).status).toBe(200)
  const refused = await first.post()
  expect(refused.status).toBe(429)
  expect(refused.text).toContain('at most 300 requests a minute')
  expect(reached()).toBe(300)
  expect((await second.post()).status).toBe(200)
  world.clock.advance(MINUTE)
  expect((await first.post()).status).toBe(200)
  await Promise.all([first.close(), second.close()])
})

test('a request of more than 4 MiB and an agent that has ended do not reach the tools', async () => {
  const { open, reached, end } = await makeDoors()
  const door = await open('c')
  expect((await door.post('x'.repeat(4 * 1024 ** 2 + 1))).status).toBe(413)
  end()
  expect((await door.post()).status).toBe(403)
  expect(reached()).toBe(0)
  await door.close()
})
