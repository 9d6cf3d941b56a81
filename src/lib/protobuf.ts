/**
 * Messages of protocol buffers, in their binary form and as JSON
 * (https://protobuf.dev/programming-guides/encoding and /json), as far as the protocol of runners
 * has them: no groups, no packed numbers, no 32-bit types.
 *
 * Fields that nobody declared are skipped, as the format demands. What is read was sent by
 * strangers: lengths are checked before bytes are copied, and depth is bounded.
 */

/** The bytes or the JSON are no message of this type. */
export class ProtobufError extends Error {}

const MAX_DEPTH = 64
/** Fields and messages in one message: empty ones take two bytes, and a hundred in memory. */
const MAX_PARTS = 100_000

const VARINT = 0
const FIXED64 = 1
const BYTES = 2
const FIXED32 = 5

type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json }
export type JsonStruct = { readonly [key: string]: Json }

/** Appends to a buffer that grows. */
class Writer {
  #bytes = Buffer.allocUnsafe(256)
  #length = 0

  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length)
  }

  varint(value: number): void {
    if (!Number.isSafeInteger(value) || value < 0)
      throw new ProtobufError(`${value} is no whole number that can be sent`)
    this.#reserve(10)
    let rest = value
    while (rest >= 128) {
      this.#bytes[this.#length++] = (rest % 128) | 128
      rest = Math.floor(rest / 128)
    }
    this.#bytes[this.#length++] = rest
  }

  tag(number: number, wire: number): void {
    this.varint(number * 8 + wire)
  }

  double(value: number): void {
    this.#reserve(8)
    this.#bytes.writeDoubleLE(value, this.#length)
    this.#length += 8
  }

  chunk(bytes: Uint8Array): void {
    this.varint(bytes.length)
    this.#reserve(bytes.length)
    this.#bytes.set(bytes, this.#length)
    this.#length += bytes.length
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#bytes.length) return
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#length + more))
    this.#bytes.copy(larger, 0, 0, this.#length)
    this.#bytes = larger
  }
}

class Reader {
  #at = 0
  readonly #view: DataView

  constructor(
    private readonly bytes: Uint8Array,
    readonly depth: number,
    private readonly parts: { count: number },
  ) {
    if (depth > MAX_DEPTH) throw new ProtobufError('the message is nested too deep')
    this.countPart()
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  }

  /** The reader of a message within this one. */
  inner(): Reader {
    return new Reader(this.chunk(), this.depth + 1, this.parts)
  }

  /** Throws when the whole message has too many parts. */
  countPart(): void {
    if (++this.parts.count > MAX_PARTS)
      throw new ProtobufError(`the message has more than ${MAX_PARTS} parts`)
  }

  get hasMore(): boolean {
    return this.#at < this.bytes.length
  }

  varint(): number {
    let value = 0
    for (let power = 1, count = 0; count < 10; count++, power *= 128) {
      const byte = this.bytes[this.#at++]
      if (byte === undefined) throw new ProtobufError('the message ends within a number')
      value += (byte & 127) * power
      if (byte < 128) {
        if (!Number.isSafeInteger(value)) throw new ProtobufError('a number is too large')
        return value
      }
    }
    throw new ProtobufError('a number is too long')
  }

  double(): number {
    this.#require(8)
    this.#at += 8
    return this.#view.getFloat64(this.#at - 8, true)
  }

  chunk(): Uint8Array {
    const length = this.varint()
    this.#require(length)
    this.#at += length
    return this.bytes.subarray(this.#at - length, this.#at)
  }

  skip(wire: number): void {
    if (wire === VARINT) this.varint()
    else if (wire === BYTES) this.chunk()
    else if (wire === FIXED64 || wire === FIXED32) {
      const length = wire === FIXED64 ? 8 : 4
      this.#require(length)
      this.#at += length
    } else throw new ProtobufError(`the wire type ${wire} is unknown`)
  }

  #require(length: number): void {
    if (this.bytes.length - this.#at < length)
      throw new ProtobufError('the message ends before its length')
  }
}

/** One type of value. */
export type Type<T> = {
  readonly wire: number
  readonly initial: T
  readonly write: (writer: Writer, value: T) => void
  readonly read: (reader: Reader) => T
  readonly toJson: (value: T) => Json
  readonly fromJson: (value: Json) => T
}

const wrong = (what: string): never => {
  throw new ProtobufError(`${what} was expected`)
}

export const int64: Type<number> = {
  wire: VARINT,
  initial: 0,
  write: (writer, value) => writer.varint(value),
  read: (reader) => reader.varint(),
  toJson: String,
  fromJson: (value) => {
    const number = typeof value === 'string' && value !== '' ? Number(value) : value
    return Number.isSafeInteger(number) && Number(number) >= 0 ? Number(number) : wrong('a number')
  },
}

export const bool: Type<boolean> = {
  wire: VARINT,
  initial: false,
  write: (writer, value) => writer.varint(value ? 1 : 0),
  read: (reader) => reader.varint() !== 0,
  toJson: (value) => value,
  fromJson: (value) => (typeof value === 'boolean' ? value : wrong('true or false')),
}

/** Names in the order of their numbers, from 0. A number without a name is 0. */
export const enumeration = <const N extends readonly string[]>(...names: N): Type<N[number]> => {
  const [first = ''] = names
  const named = (index: number): N[number] => names[index] ?? first
  return {
    wire: VARINT,
    initial: first,
    write: (writer, value) => writer.varint(Math.max(0, names.indexOf(value))),
    read: (reader) => named(reader.varint()),
    toJson: (value) => value,
    fromJson: (value) =>
      typeof value === 'number' ? named(value) : named(names.indexOf(String(value))),
  }
}

const utf8 = new TextDecoder()

export const string: Type<string> = {
  wire: BYTES,
  initial: '',
  write: (writer, value) => writer.chunk(Buffer.from(value)),
  read: (reader) => utf8.decode(reader.chunk()),
  toJson: (value) => value,
  fromJson: (value) => (typeof value === 'string' ? value : wrong('a text')),
}

export const bytes: Type<Uint8Array> = {
  wire: BYTES,
  initial: new Uint8Array(),
  write: (writer, value) => writer.chunk(value),
  read: (reader) => reader.chunk(),
  toJson: (value) => Buffer.from(value).toString('base64'),
  fromJson: (value) =>
    typeof value === 'string' ? new Uint8Array(Buffer.from(value, 'base64')) : wrong('base64'),
}

const double: Type<number> = {
  wire: FIXED64,
  initial: 0,
  write: (writer, value) => writer.double(value),
  read: (reader) => reader.double(),
  toJson: (value) => value,
  fromJson: (value) => (typeof value === 'number' ? value : wrong('a number')),
}

type Kind = 'one' | 'list' | 'map'
type Field<T> = {
  readonly number: number
  readonly kind: Kind
  readonly type: Type<unknown>
  /** Of the values of a map; the type of the field is that of an entry. */
  readonly item?: Type<unknown>
  readonly __value?: T
}
type Fields = Readonly<Record<string, Field<unknown>>>

export const one = <T>(number: number, type: Type<T>): Field<T> => ({
  number,
  kind: 'one',
  type: type as Type<unknown>,
})
export const list = <T>(number: number, type: Type<T | null> | Type<T>): Field<readonly T[]> => ({
  number,
  kind: 'list',
  type: type as Type<unknown>,
})
/** A map with texts as keys. */
export const map = <T>(
  number: number,
  type: Type<T | null> | Type<T>,
): Field<Readonly<Record<string, T>>> => ({
  number,
  kind: 'map',
  type: entry(type as Type<unknown>) as Type<unknown>,
  item: type as Type<unknown>,
})

type Values<F extends Fields> = {
  readonly [K in keyof F]: F[K] extends Field<infer T> ? T : never
}
/** A message within a message is null when it is absent. */
export type Message<F extends Fields> = Type<Values<F> | null>
export type ValueOf<M> = M extends Type<infer T> ? NonNullable<T> : never

type Entry = { readonly key: string; readonly value: unknown }

const entry = <T>(type: Type<T>): Type<Entry | null> =>
  message({ key: one(1, string), value: one(2, type) }) as unknown as Type<Entry | null>

const emptyOf = ({ kind, type }: Field<unknown>): unknown =>
  kind === 'list' ? [] : kind === 'map' ? {} : type.initial

const isInitial = ({ type }: Field<unknown>, value: unknown): boolean =>
  value === type.initial || (value instanceof Uint8Array && value.length === 0)

function writeField(writer: Writer, field: Field<unknown>, value: unknown): void {
  const { number, type } = field
  const write = (item: unknown): void => {
    writer.tag(number, type.wire)
    type.write(writer, item)
  }
  if (field.kind === 'list') for (const item of value as readonly unknown[]) write(item)
  else if (field.kind === 'map')
    for (const [key, item] of Object.entries(value as object)) write({ key, value: item })
  else if (!isInitial(field, value)) write(value)
}

/** Declares a message. Its fields have the names of their JSON form. */
export function message<F extends Fields>(fields: F): Message<F> {
  const entries = Object.entries(fields)
  const byNumber = new Map(entries.map(([name, field]) => [field.number, { name, field }]))
  const create = (): Record<string, unknown> =>
    Object.fromEntries(entries.map(([name, field]) => [name, emptyOf(field)]))
  const add = (values: Record<string, unknown>, name: string, kind: Kind, item: unknown): void => {
    if (kind === 'one') values[name] = item
    else if (kind === 'list') (values[name] as unknown[]).push(item)
    else {
      const { key, value } = item as Entry
      Object.defineProperty(values[name], key, { value, enumerable: true, configurable: true })
    }
  }
  const readAll = (reader: Reader): Record<string, unknown> => {
    const values = create()
    while (reader.hasMore) {
      const tag = reader.varint()
      reader.countPart()
      const known = byNumber.get(Math.floor(tag / 8))
      if (known?.field.type.wire !== tag % 8) reader.skip(tag % 8)
      else add(values, known.name, known.field.kind, known.field.type.read(reader))
    }
    return values
  }
  const type: Type<Record<string, unknown> | null> = {
    wire: BYTES,
    initial: null,
    write: (writer, values) => {
      const inner = new Writer()
      for (const [name, field] of entries) writeField(inner, field, values?.[name])
      writer.chunk(inner.bytes)
    },
    read: (reader) => readAll(reader.inner()),
    toJson: (values) => (values === null ? null : jsonOf(entries, values)),
    fromJson: (value) => {
      if (value === null || typeof value !== 'object' || Array.isArray(value))
        return wrong('an object')
      return valuesOf(entries, value as JsonStruct, create())
    },
  }
  // `create` and `readAll` give every field the value that its declaration says.
  return type as unknown as Message<F>
}

type FieldEntries = readonly (readonly [string, Field<unknown>])[]

function jsonOf(entries: FieldEntries, values: Readonly<Record<string, unknown>>): Json {
  const result: Record<string, Json> = {}
  for (const [name, field] of entries) {
    const value = values[name]
    const { type } = field
    if (field.kind === 'list') result[name] = (value as unknown[]).map((item) => type.toJson(item))
    else if (field.kind === 'map')
      result[name] = Object.fromEntries(
        Object.entries(value as object).map(([key, item]) => [
          key,
          field.item?.toJson(item) ?? null,
        ]),
      )
    else if (!isInitial(field, value)) result[name] = type.toJson(value)
  }
  return result
}

/** Fields have two names in JSON. Services declare the one that their clients read. */
const camelCase = (name: string): string =>
  name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter}`)

function valuesOf(
  entries: FieldEntries,
  given: JsonStruct,
  values: Record<string, unknown>,
): Record<string, unknown> {
  for (const [name, field] of entries) {
    const value =
      given[name] ?? given[snakeCase(name).toLowerCase()] ?? given[camelCase(name)] ?? null
    if (value === null) continue
    const { type, kind } = field
    if (kind === 'one') values[name] = type.fromJson(value)
    else if (kind === 'list')
      values[name] = Array.isArray(value) ? value.map((item) => type.fromJson(item)) : wrong('[]')
    else if (typeof value !== 'object') return wrong('an object')
    else
      values[name] = Object.fromEntries(
        Object.entries(value).map(([key, item]) => [key, field.item?.fromJson(item as Json)]),
      )
  }
  return values
}

const Moment = message({ seconds: one(1, int64), nanos: one(2, int64) })

/** `google.protobuf.Timestamp` in milliseconds; null when absent. */
export const timestamp: Type<number | null> = {
  wire: BYTES,
  initial: null,
  write: (writer, value) => {
    const ms = Math.max(0, value ?? 0)
    const seconds = Math.floor(ms / 1000)
    Moment.write(writer, { seconds, nanos: Math.round((ms - seconds * 1000) * 1e6) })
  },
  read: (reader) => {
    const { seconds, nanos } = Moment.read(reader) ?? { seconds: 0, nanos: 0 }
    return seconds * 1000 + Math.floor(nanos / 1e6)
  },
  toJson: (value) => (value === null ? null : new Date(value).toISOString()),
  fromJson: (value) => {
    const ms = typeof value === 'string' ? Date.parse(value) : Number.NaN
    return Number.isNaN(ms) ? wrong('a time') : ms
  },
}

/** `google.protobuf.StringValue` and its like: a message with a value, in JSON the value alone. */
function wrapper<T>(type: Type<T>): Type<T | null> {
  const Wrapper = message({ value: one(1, type) })
  return {
    wire: BYTES,
    initial: null,
    // The type of a field of a generic type is not resolved.
    write: (writer, value) => Wrapper.write(writer, { value } as never),
    read: (reader) => ((Wrapper.read(reader) as { value: T } | null)?.value ?? null) as T | null,
    toJson: (value) => (value === null ? null : type.toJson(value)),
    fromJson: (value) => (value === null ? null : type.fromJson(value)),
  }
}

export const stringValue = wrapper(string)
export const int64Value = wrapper(int64)

/** A value of `google.protobuf.Struct`. */
const structValue: Type<Json> = {
  wire: BYTES,
  initial: null,
  write: (writer, value) => {
    const inner = new Writer()
    const put = <T>(number: number, type: Type<T>, item: T): void => {
      inner.tag(number, type.wire)
      type.write(inner, item)
    }
    if (value === null) put(1, int64, 0)
    else if (typeof value === 'number') put(2, double, value)
    else if (typeof value === 'string') put(3, string, value)
    else if (typeof value === 'boolean') put(4, bool, value)
    else if (isList(value)) put(6, StructList, { values: value })
    else put(5, struct, value)
    writer.chunk(inner.bytes)
  },
  read: (outer) => {
    const reader = outer.inner()
    let value: Json = null
    while (reader.hasMore) {
      const tag = reader.varint()
      const number = Math.floor(tag / 8)
      if (number === 2) value = double.read(reader)
      else if (number === 3) value = string.read(reader)
      else if (number === 4) value = bool.read(reader)
      else if (number === 5) value = struct.read(reader)
      else if (number === 6) value = StructList.read(reader)?.values ?? []
      else reader.skip(tag % 8)
    }
    return value
  },
  toJson: (value) => value,
  fromJson: (value) => value,
}

const isList = (value: Json): value is readonly Json[] => Array.isArray(value)

const StructList = message({ values: list<Json>(1, structValue) })
const StructFields = message({ fields: map<Json>(1, structValue) })

/** `google.protobuf.Struct`: a JSON object. */
export const struct: Type<JsonStruct> = {
  wire: BYTES,
  initial: {},
  write: (writer, value) => StructFields.write(writer, { fields: value }),
  read: (reader) => StructFields.read(reader)?.fields ?? {},
  toJson: (value) => value,
  fromJson: (value) =>
    value !== null && typeof value === 'object' && !isList(value) ? value : wrong('an object'),
}

const prefixed = (body: Uint8Array): Reader => {
  const writer = new Writer()
  writer.chunk(body)
  return new Reader(writer.bytes, 0, { count: 0 })
}

/** The message in these bytes. Throws ProtobufError. */
export const decode = <T>(type: Type<T>, body: Uint8Array): NonNullable<T> =>
  type.read(prefixed(body)) ?? wrong('a message')

/** The bytes of a message. */
export function encode<T>(type: Type<T>, value: NonNullable<T>): Uint8Array {
  const writer = new Writer()
  type.write(writer, value)
  const reader = new Reader(writer.bytes, 0, { count: 0 })
  return reader.chunk()
}
