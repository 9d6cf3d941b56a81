import { expect, test } from 'bun:test'
import { LineNumbers } from '../../../src/git/diff/line-numbers.ts'
import { splitLines } from '../../../src/git/diff/lines.ts'
import { Random } from '../history-fixture.ts'

test('a version numbered from the one beside it has the lines and the numbers that it has by itself', () => {
  const random = new Random(9)
  const known = new Map<string, number>()
  const numbers = new LineNumbers()
  const line = () => random.pick(['', 'a', 'aa', 'x'.repeat(1200), '\r', String(random.below(50))])
  let lines = Array.from({ length: 40 }, line)
  let end = '\n'
  let near: ReturnType<LineNumbers['number']> | null = null
  for (let round = 0; round < 1500; round++) {
    lines = [...lines]
    for (let i = random.below(3); i > 0; i--) {
      const at = random.below(lines.length + 1)
      if (random.chance(0.4)) lines.splice(at, random.below(4))
      else lines.splice(at, random.below(2), ...Array.from({ length: random.below(3) }, line))
    }
    if (random.chance(0.2)) end = end === '' ? '\n' : ''
    const data = Buffer.from(lines.length === 0 ? '' : lines.join('\n') + end)
    const found = numbers.number(data, near)
    const plain = splitLines(data)
    expect([...found.lines.starts]).toEqual([...plain.starts])
    expect(found.lines.count).toBe(plain.count)
    for (let i = 0; i < plain.count; i++) {
      const text = data.toString('latin1', plain.starts[i], plain.starts[i + 1])
      const number = found.numbers[i] ?? -1
      if (!known.has(text)) {
        expect([...known.values()].includes(number)).toBe(false)
        known.set(text, number)
      }
      expect(number).toBe(known.get(text) ?? -2)
    }
    if (random.chance(0.9)) near = found
  }
  expect(numbers.kinds).toBe(known.size)
})
