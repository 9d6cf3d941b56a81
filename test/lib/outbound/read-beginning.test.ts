import { expect, test } from 'bun:test'
import { readBeginning } from '#lib/outbound/read-beginning.ts'

const bytes = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)

test('a long body is read as far as it is wanted, and cancelled', async () => {
  let parts = 0
  let isCancelled = false
  const body = new ReadableStream<Uint8Array>(
    {
      pull: (controller) => controller.enqueue(bytes(`part ${++parts},`)),
      cancel: () => void (isCancelled = true),
    },
    { highWaterMark: 0 },
  )
  expect(await readBeginning(body, 10)).toBe('part 1,par')
  expect([parts, isCancelled]).toEqual([2, true])
})

test('characters whose bytes come apart stay whole, and a body that fails gives what came', async () => {
  const parts = [bytes('schö').subarray(0, 4), bytes('schön').subarray(4)]
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const part = parts.shift()
      if (part) controller.enqueue(part)
      else controller.error(new Error('the connection broke'))
    },
  })
  expect(await readBeginning(body, 100)).toBe('schön')
})
