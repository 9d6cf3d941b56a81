import { expect, test } from 'bun:test'
import { Places } from '#http/places.ts'

const never = new AbortController().signal

test('one caller waits in line for their own places, others do not', async () => {
  const places = new Places(() => 2)
  const order: string[] = []
  const first = await places.enter('ada', never)
  await places.enter('ada', never)
  const third = places.enter('ada', never).then((leave) => {
    order.push('third')
    return leave
  })
  const fourth = places.enter('ada', never).then(() => void order.push('fourth'))
  const other = await places.enter('bob', never)
  expect(order).toEqual([])
  expect(places.waiting).toBe(2)
  first()
  first()
  const leave = await third
  expect(order).toEqual(['third'])
  leave()
  await fourth
  expect(places.waiting).toBe(0)
  other()
})

test('who gives up leaves the line', async () => {
  const places = new Places(() => 1)
  const leave = await places.enter('ada', never)
  const given = new AbortController()
  const waiting = places.enter('ada', given.signal)
  given.abort(new Error('gone'))
  await expect(waiting).rejects.toThrow('gone')
  expect(places.waiting).toBe(0)
  leave()
  ;(await places.enter('ada', never))()
})

test('a line that is too long is not joined', async () => {
  const places = new Places(() => 1)
  await places.enter('ada', never)
  for (let i = 0; i < 256; i++) void places.enter('ada', never)
  expect(places.enter('ada', never)).rejects.toMatchObject({
    code: 'unavailable',
    headers: { 'retry-after': '30' },
  })
  // Whoever needs not wait is not concerned.
  ;(await places.enter('bob', never))()
})
