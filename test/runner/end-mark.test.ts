import { expect, test } from 'bun:test'
import { EndMark } from '#src/runner/end-mark.ts'

const NONCE = 'a1b2c3d4'
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

/** What the mark makes of pieces of output. */
function read(pieces: readonly string[]): { output: string; exit: number | null; rest: string } {
  const mark = new EndMark(NONCE)
  let output = ''
  for (const piece of pieces) {
    const split = mark.push(bytes(piece))
    output += Buffer.from(split.output).toString()
    if (split.exit !== null)
      return { output, exit: split.exit, rest: Buffer.from(split.rest).toString() }
  }
  return { output: output + Buffer.from(mark.end()).toString(), exit: null, rest: '' }
}

test('the end of a step is found wherever its output is cut', () => {
  const text = `out\nput without a line feed\u001e${NONCE} 17\nlater\n`
  for (let at = 0; at <= text.length; at++) {
    const pieces = [text.slice(0, at), text.slice(at)]
    const found = read(pieces)
    expect(found).toMatchObject({ output: 'out\nput without a line feed', exit: 17 })
    expect('later\n').toStartWith(found.rest)
  }
  expect(read([...text]).exit).toBe(17)
})

test('a mark with another nonce is output', () => {
  const forged = `\u001edeadbeef 0\n\u001e${NONCE.slice(0, 4)} 0\n\u001e\u001e`
  expect(read([forged])).toEqual({ output: forged, exit: null, rest: '' })
  expect(read([...forged, `\u001e${NONCE} 1\n`])).toEqual({ output: forged, exit: 1, rest: '' })
})

test('a mark without a proper exit code is a failure', () => {
  expect(read([`\u001e${NONCE} x\n`]).exit).toBe(255)
  expect(read([`\u001e${NONCE} ${'9'.repeat(5_000)}`]).exit).toBe(255)
})
