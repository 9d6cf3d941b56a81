import { expect, test } from 'bun:test'
import { decode, differences, encode, type Picture } from './picture.ts'

const [WIDTH, HEIGHT] = [40, 12]

/** A white picture with a line of text: the share of ink in each row of cells, from `top` on. */
function line(
  top: number,
  inks: readonly number[],
  colour: readonly number[] = [0, 0, 0],
): Picture {
  const pixels = new Uint8Array(WIDTH * HEIGHT * 3).fill(255)
  inks.forEach((ink, row) => {
    for (let x = 4; x < 24; x++)
      pixels.set(
        colour.map((channel) => 255 - (255 - channel) * ink),
        ((top + row) * WIDTH + x) * 3,
      )
  })
  return decode(encode({ width: WIDTH, height: HEIGHT, pixels }))
}

const GREY = [90, 90, 90]

test('a line that lies half a cell or a cell lower is where it was', () => {
  expect(differences(line(4, [0.5, 0.5], GREY), line(4, [1], GREY))).toEqual([])
  expect(differences(line(4, [1], GREY), line(4, [0.5, 0.5], GREY))).toEqual([])
  expect(differences(line(4, [0.5, 0.5], GREY), line(5, [1], GREY))).toEqual([])
  expect(differences(line(4, [1], GREY), line(5, [1], GREY))).toEqual([])
})

test('a line that went, came, moved by three cells or has another colour is a change', () => {
  const cells = (was: Picture, is: Picture): number[] =>
    differences(was, is).map((region) => region.cells)
  expect(cells(line(4, [0.5, 0.5], GREY), line(4, []))).toEqual([40])
  expect(cells(line(4, []), line(4, [1], GREY))).toEqual([20])
  expect(cells(line(3, [1]), line(6, [1]))).toEqual([20, 20])
  expect(cells(line(4, [1]), line(4, [1], [230, 0, 0]))).toEqual([20])
})
