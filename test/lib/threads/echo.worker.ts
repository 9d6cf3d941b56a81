/** A thread for tests: echoes, throws, waits, holds memory, writes a file and ends. */
import { writeFileSync } from 'node:fs'
import { serveRequests } from '#lib/threads/worker-requests.ts'

let opening: string | null = null
let held: string[] = []

serveRequests((request: string): string => {
  const [command, rest = ''] = request.split(':')
  if (command === 'open') opening = rest
  if (command === 'throw') throw new Error(rest)
  if (command === 'exit') process.exit()
  if (command === 'hang') Bun.sleepSync(60_000)
  if (command === 'sleep') Bun.sleepSync(Number(rest))
  if (command === 'compute') while (rest !== '') opening = rest.toUpperCase()
  if (command === 'hold') held = Array.from({ length: Number(rest) }, (_, at) => `${opening}${at}`)
  if (command === 'held') return String(held.length)
  if (command === 'write') writeFileSync(rest, '')
  if (command === 'crash') {
    queueMicrotask(() => {
      throw new Error(rest)
    })
  }
  return `${opening ?? ''} ${rest}`
})
