import { expect, test } from 'bun:test'
import { FairWorker } from '#lib/threads/fair-worker.ts'

const worker = (maxWaiting: number) =>
  new FairWorker<string, string>({
    code: () => new URL('./echo.worker.ts', import.meta.url),
    maxCpuMs: 10_000,
    maxWaiting,
    fullError: () => new Error('too many wait'),
  })

test('a caller with one request does not wait for all those of another', async () => {
  const thread = worker(10)
  const done: string[] = []
  const ask = async (caller: string, text: string) => {
    await thread.request(caller, `sleep:${text}`)
    done.push(`${caller} ${text}`)
  }
  await Promise.all([ask('ada', '1'), ask('ada', '2'), ask('ada', '3'), ask('bob', '4')])
  expect(done).toEqual(['ada 1', 'bob 4', 'ada 2', 'ada 3'])
  await thread.close()
})

test('refuses what is too much, and gives the turn on after a failure and a cancellation', async () => {
  const thread = worker(1)
  const cancelled = new AbortController()
  const failing = thread.request('ada', 'throw:broken')
  const waiting = thread.request('ada', 'echo:1', cancelled.signal)
  await expect(thread.request('ada', 'echo:2')).rejects.toThrow('too many wait')
  cancelled.abort(new Error('the client left'))
  await expect(waiting).rejects.toThrow('the client left')
  await expect(failing).rejects.toThrow('broken')
  expect(await thread.request('ada', 'echo:3')).toBe(' 3')
  await thread.close()
})
