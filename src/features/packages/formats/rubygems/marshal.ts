/**
 * Writes Ruby's Marshal format 4.8, in which gem 3.3 and older read indexes. Links to objects and
 * symbols that were written before are not used: readers do not need them.
 */
import type { GemCondition, GemSpecification } from './read-gem.ts'

const HEADER = Buffer.from([4, 8])

/** A number as its count of bytes and the bytes, or one byte when it is small. */
function long(value: number): Buffer {
  if (value === 0) return Buffer.from([0])
  if (value > 0 && value < 123) return Buffer.from([value + 5])
  const bytes: number[] = []
  for (let rest = value; rest > 0; rest = Math.floor(rest / 256)) bytes.push(rest % 256)
  return Buffer.from([bytes.length, ...bytes])
}

const join = (...parts: readonly (string | Uint8Array)[]): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)))

const symbol = (name: string): Buffer => join(':', long(Buffer.byteLength(name)), name)

/** A text in UTF-8. */
const text = (value: string): Buffer =>
  join('I"', long(Buffer.byteLength(value)), value, long(1), symbol('E'), 'T')

const array = (items: readonly Uint8Array[]): Buffer => join('[', long(items.length), ...items)

const hash = (entries: readonly (readonly [Uint8Array, Uint8Array])[]): Buffer =>
  join('{', long(entries.length), ...entries.flat())

/** An object whose class reads it from one value. */
const userObject = (className: string, value: Uint8Array): Buffer =>
  join('U', symbol(className), value)

const plainObject = (
  className: string,
  fields: readonly (readonly [string, Uint8Array])[],
): Buffer =>
  join(
    'o',
    symbol(className),
    long(fields.length),
    ...fields.flatMap(([name, value]) => [symbol(name), value]),
  )

const version = (number: string): Buffer => userObject('Gem::Version', array([text(number)]))

const requirement = (conditions: readonly GemCondition[]): Buffer => {
  const list = array(
    conditions.map(([operator, number]) => array([text(operator), version(number)])),
  )
  return userObject('Gem::Requirement', array([list]))
}

const texts = (values: readonly string[]): Buffer => array(values.map(text))

const dependencies = (gem: GemSpecification): Buffer =>
  array(
    gem.dependencies.map((dependency) => {
      const needed = requirement(dependency.requirement)
      return plainObject('Gem::Dependency', [
        ['@name', text(dependency.name)],
        ['@requirement', needed],
        ['@type', symbol(dependency.type)],
        ['@prerelease', Buffer.from('F')],
        ['@version_requirements', needed],
      ])
    }),
  )

const NIL = Buffer.from('0')
const TRUE = Buffer.from('T')

/** A specification as `Gem::Specification#_dump` writes it. `date` is `2026-01-31`. */
export function marshalSpecification(gem: GemSpecification, date: string): Buffer {
  const fields = array([
    text(gem.rubygems_version),
    join('i', long(4)),
    text(gem.name),
    version(gem.version),
    text(date),
    text(gem.summary),
    requirement(gem.required_ruby_version),
    requirement(gem.required_rubygems_version),
    text(gem.platform),
    dependencies(gem),
    text(''),
    gem.email.length === 0 ? NIL : texts(gem.email),
    texts(gem.authors),
    text(gem.description),
    text(gem.homepage),
    TRUE,
    text(gem.platform),
    texts(gem.licenses),
    hash(Object.entries(gem.metadata).map(([key, value]) => [text(key), text(value)])),
  ])
  const dumped = join(HEADER, fields)
  return join(HEADER, 'u', symbol('Gem::Specification'), long(dumped.length), dumped)
}

export type SpecTuple = {
  readonly name: string
  readonly version: string
  readonly platform: string
}

/** The content of `specs.4.8`: name, version and platform of every gem. */
export const marshalSpecs = (specs: readonly SpecTuple[]): Buffer =>
  join(
    HEADER,
    array(
      specs.map((spec) => array([text(spec.name), version(spec.version), text(spec.platform)])),
    ),
  )
