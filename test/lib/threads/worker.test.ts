import { afterEach, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { WorkerFailure, WorkerOverrun, WorkerRequests } from '#lib/threads/worker-requests.ts'
import { workerUrl } from '#lib/threads/worker.ts'

const code = () => new URL('./echo.worker.ts', import.meta.url)
let thread = new WorkerRequests<string, string>({ code })
afterEach(async () => {
  await thread.close()
  thread = new WorkerRequests<string, string>({ code })
})

test('responses come for their requests, the errors of a handler as errors', async () => {
  const [first, second, third] = await Promise.allSettled([
    thread.request('echo:1'),
    thread.request('throw:not this'),
    thread.request('echo:2'),
  ])
  expect([first, third]).toEqual([
    { status: 'fulfilled', value: ' 1' },
    { status: 'fulfilled', value: ' 2' },
  ])
  expect(second.status).toBe('rejected')
  expect(String((second as PromiseRejectedResult).reason)).toContain('not this')
  expect(thread.pending).toBe(0)
})

test('a thread that ends, crashes or does not respond in time is replaced', async () => {
  for (const fatal of ['exit:', 'hang:']) {
    await expect(thread.request(fatal, { timeoutMs: 500 })).rejects.toBeInstanceOf(WorkerFailure)
    expect(await thread.request('echo:again')).toBe(' again')
  }
  const both = await Promise.allSettled([thread.request('crash:x'), thread.request('hang:')])
  expect(both[1]?.status).toBe('rejected')
  expect(await thread.request('echo:again')).toBe(' again')
})

test.if(process.platform === 'linux')(
  'a request is limited in processor time, however long the thread waits for a processor',
  async () => {
    expect(await thread.request('echo:1')).toBe(' 1')
    // Sleeping is like waiting for a processor: it takes time, and none of the processor.
    expect(await thread.request('sleep:400', { maxCpuMs: 100 })).toBe(' 400')
    await expect(thread.request('compute:on', { maxCpuMs: 100 })).rejects.toBeInstanceOf(
      WorkerOverrun,
    )
    const failure = await thread.request('hang:', { maxCpuMs: 100 }).catch((error) => error)
    expect(failure).toBeInstanceOf(WorkerFailure)
    expect(failure).not.toBeInstanceOf(WorkerOverrun)
    expect(await thread.request('echo:again')).toBe(' again')
  },
)

test('each new thread gets the opening first, and a failed opening fails the rest', async () => {
  const opened = new WorkerRequests<string, string>({
    code,
    opening: 'open:yes',
    closing: 'echo:last',
  })
  expect(await opened.request('echo:1')).toBe('yes 1')
  await opened.request('exit:').catch(() => {})
  expect(await opened.request('echo:2')).toBe('yes 2')
  await opened.close()
  await expect(opened.request('echo:3')).rejects.toThrow('is closed')
  const broken = new WorkerRequests<string, string>({ code, opening: 'throw:no file' })
  await expect(broken.request('hang:', { timeoutMs: 5_000 })).rejects.toThrow()
  await broken.close()
})

test('a thread ends after its closing request when no request comes, and the next starts another', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'hearth-worker-'))
  const file = join(directory, 'closed')
  const idle = new WorkerRequests<string, string>({
    code,
    opening: 'open:yes',
    closing: `write:${file}`,
    idleMs: 300,
  })
  try {
    expect(await idle.request('hold:1000')).toBe('yes 1000')
    // Waiting requests keep it.
    expect(await idle.request('sleep:600')).toBe('yes 600')
    expect(await idle.request('held:')).toBe('1000')
    for (let tries = 0; !existsSync(file) && tries < 12_000; tries++) await Bun.sleep(10)
    expect(existsSync(file)).toBe(true)
    expect(idle.isRunning).toBe(false)
    expect(await idle.request('held:')).toBe('0')
  } finally {
    await idle.close()
    rmSync(directory, { recursive: true })
  }
})

test.if(process.platform === 'linux')(
  'the start of a thread does not count as processor time of its first request',
  async () => {
    const slow = () => new URL('./slow-start.worker.ts', import.meta.url)
    const starting = new WorkerRequests<string, string>({ code: slow })
    expect(await starting.request('one', { maxCpuMs: 500 })).toBe('one')
    // What follows the start does.
    const endless = new WorkerRequests<string, string>({ code: slow })
    await expect(endless.request('compute', { maxCpuMs: 500 })).rejects.toBeInstanceOf(
      WorkerFailure,
    )
    await Promise.all([starting.close(), endless.close()])
  },
)

test('a worker is found by its path below src', () => {
  expect(workerUrl('git/engine.worker').pathname).toEndWith('/src/git/engine.worker.ts')
  expect(workerUrl('no/such.worker').pathname).toEndWith('/src/no/such.worker.ts')
})
