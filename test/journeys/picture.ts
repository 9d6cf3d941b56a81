/**
 * Small pictures of pages: read from what the browser takes, kept as PNG that anybody can open, and
 * compared cell by cell.
 */
import { deflateSync, inflateSync } from 'node:zlib'

/** Three bytes a pixel: red, green, blue. */
export type Picture = {
  readonly width: number
  readonly height: number
  readonly pixels: Uint8Array
}

const SIGNATURE = Uint8Array.of(137, 80, 78, 71, 13, 10, 26, 10)
/**
 * Each colour is kept in six steps, so that smoothing of edges does not count and the files stay
 * small.
 */
const STEPS = 6
const STEP = 255 / (STEPS - 1)

const paeth = (a: number, b: number, c: number): number => {
  const [da, db, dc] = [Math.abs(b - c), Math.abs(a - c), Math.abs(a + b - 2 * c)]
  return da <= db && da <= dc ? a : db <= dc ? b : c
}

/**
 * Reads a PNG of eight bits a channel without interlacing (PNG, third edition), as browsers and
 * {@link encode} write it.
 */
export function decode(file: Uint8Array): Picture {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength)
  const parts: Uint8Array[] = []
  let palette = new Uint8Array()
  for (let at = 8; at < file.length; ) {
    const length = view.getUint32(at)
    const type = String.fromCharCode(...file.subarray(at + 4, at + 8))
    const body = file.slice(at + 8, at + 8 + length)
    if (type === 'IDAT') parts.push(body)
    if (type === 'PLTE') palette = body
    at += 12 + length
  }
  const [width, height, kind] = [view.getUint32(16), view.getUint32(20), view.getUint8(25)]
  const channels = { 2: 3, 3: 1, 6: 4 }[kind]
  if (channels === undefined || view.getUint8(24) !== 8)
    throw new Error(`a PNG of kind ${kind} is not read here`)
  const raw = inflateSync(Buffer.concat(parts))
  const stride = width * channels
  const rows = new Uint8Array(stride * height)
  for (let y = 0; y < height; y++) {
    const filter = raw[y * (stride + 1)] ?? 0
    for (let x = 0; x < stride; x++) {
      const left = x >= channels ? (rows[y * stride + x - channels] ?? 0) : 0
      const up = y > 0 ? (rows[(y - 1) * stride + x] ?? 0) : 0
      const corner = x >= channels && y > 0 ? (rows[(y - 1) * stride + x - channels] ?? 0) : 0
      const add = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter] ?? 0
      rows[y * stride + x] = ((raw[y * (stride + 1) + 1 + x] ?? 0) + add) & 0xff
    }
  }
  const pixels = new Uint8Array(width * height * 3)
  for (let at = 0; at < width * height; at++) {
    for (let channel = 0; channel < 3; channel++) {
      pixels[at * 3 + channel] =
        channels === 1
          ? (palette[(rows[at] ?? 0) * 3 + channel] ?? 0)
          : (rows[at * channels + channel] ?? 0)
    }
  }
  return { width, height, pixels }
}

function chunk(type: string, body: Uint8Array): Uint8Array {
  const part = new Uint8Array(12 + body.length)
  const view = new DataView(part.buffer)
  view.setUint32(0, body.length)
  part.set(new TextEncoder().encode(type), 4)
  part.set(body, 8)
  view.setUint32(8 + body.length, Bun.hash.crc32(part.subarray(4, 8 + body.length)))
  return part
}

const stepOf = (value: number): number => Math.round(value / STEP)

/** Writes a picture as a PNG with a palette. Its colours come back as those of {@link settle}. */
export function encode({ width, height, pixels }: Picture): Uint8Array {
  const palette = new Uint8Array(STEPS ** 3 * 3)
  for (let index = 0; index < STEPS ** 3; index++)
    palette.set(
      [Math.floor(index / 36) * STEP, (Math.floor(index / 6) % 6) * STEP, (index % 6) * STEP],
      index * 3,
    )
  const rows = new Uint8Array((width + 1) * height)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = (y * width + x) * 3
      rows[y * (width + 1) + 1 + x] =
        stepOf(pixels[at] ?? 0) * 36 + stepOf(pixels[at + 1] ?? 0) * 6 + stepOf(pixels[at + 2] ?? 0)
    }
  }
  const head = new Uint8Array(13)
  const view = new DataView(head.buffer)
  view.setUint32(0, width)
  view.setUint32(4, height)
  head.set([8, 3, 0, 0, 0], 8)
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', head),
    chunk('PLTE', palette),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', new Uint8Array()),
  ])
}

/** Half as wide and half as high: each pixel the mean of four. */
export function halve({ width, height, pixels }: Picture): Picture {
  const [w, h] = [Math.floor(width / 2), Math.floor(height / 2)]
  const half = new Uint8Array(w * h * 3)
  for (let y = 0; y < h; y++) {
    for (let x = 0; x < w; x++) {
      for (let channel = 0; channel < 3; channel++) {
        const at = (row: number, column: number): number =>
          pixels[((y * 2 + row) * width + x * 2 + column) * 3 + channel] ?? 0
        half[(y * w + x) * 3 + channel] = (at(0, 0) + at(0, 1) + at(1, 0) + at(1, 1)) / 4
      }
    }
  }
  return { width: w, height: h, pixels: half }
}

/** Two pictures side by side with a gap of grey; the shorter one is grey below. */
export function beside(left: Picture, right: Picture): Picture {
  const [width, height] = [left.width + 4 + right.width, Math.max(left.height, right.height)]
  const pixels = new Uint8Array(width * height * 3).fill(153)
  for (const [picture, offset] of [
    [left, 0],
    [right, left.width + 4],
  ] as const) {
    for (let y = 0; y < picture.height; y++)
      pixels.set(
        picture.pixels.subarray(y * picture.width * 3, (y + 1) * picture.width * 3),
        (y * width + offset) * 3,
      )
  }
  return { width, height, pixels }
}

/** A part of a picture that is another than it was, in cells. */
export type Region = {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
  readonly cells: number
}

/** How far a colour may be off, of 255: more than a step and the smoothing of an edge. */
const TOLERANCE = 90
/** So few cells together are no change that anybody sees. */
const SPECK = 3

/**
 * How far the mean of a cell and those above and below it may be off, of 255. With 52 a grey word of
 * three letters can go unnoticed; with 32 a line that lies half a cell lower counts.
 */
const MEAN_TOLERANCE = 45

/**
 * Where two pictures differ. A cell counts when it has a colour that neither the same cell of the
 * other picture has nor the one above or below it, and the mean of the three is another one too. The
 * browser lays each line of a small picture on whole pixels, which are half a cell: a hundredth of a
 * pixel of the page puts a line into one row of cells or into two.
 */
export function differences(was: Picture, is: Picture): Region[] {
  const [width, height] = [Math.max(was.width, is.width), Math.max(was.height, is.height)]
  const at = (picture: Picture, x: number, y: number, channel: number): number =>
    x < picture.width && y >= 0 && y < picture.height
      ? (picture.pixels[(y * picture.width + x) * 3 + channel] ?? 0)
      : 153
  const alike = (one: Picture, other: Picture, x: number, y: number): boolean =>
    [0, -1, 1].some((shift) =>
      [0, 1, 2].every(
        (channel) =>
          Math.abs(at(one, x, y, channel) - at(other, x, y + shift, channel)) <= TOLERANCE,
      ),
    )
  /** The mean of three cells below each other, of which the one in the middle counts twice. */
  const mean = (picture: Picture, x: number, y: number, channel: number): number =>
    (at(picture, x, y - 1, channel) +
      2 * at(picture, x, y, channel) +
      at(picture, x, y + 1, channel)) /
    4
  const alikeInMean = (x: number, y: number): boolean =>
    [0, 1, 2].every(
      (channel) => Math.abs(mean(was, x, y, channel) - mean(is, x, y, channel)) <= MEAN_TOLERANCE,
    )
  const marked = new Set<number>()
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      if ((!alike(is, was, x, y) || !alike(was, is, x, y)) && !alikeInMean(x, y))
        marked.add(y * width + x)

  const regions: Region[] = []
  for (const start of marked) {
    marked.delete(start)
    const open = [start]
    let [left, top, right, bottom, cells] = [width, height, 0, 0, 0]
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const [x, y] = [next % width, Math.floor(next / width)]
      ;[left, top, right, bottom, cells] = [
        Math.min(left, x),
        Math.min(top, y),
        Math.max(right, x + 1),
        Math.max(bottom, y + 1),
        cells + 1,
      ]
      // Cells that are a little apart belong together, such as the words of a line.
      for (let dy = -2; dy <= 2; dy++) {
        for (let dx = -3; dx <= 3; dx++) {
          const near = (y + dy) * width + x + dx
          if (x + dx >= 0 && x + dx < width && marked.delete(near)) open.push(near)
        }
      }
    }
    if (cells >= SPECK) regions.push({ left, top, right, bottom, cells })
  }
  return regions.sort((a, b) => b.cells - a.cells)
}
