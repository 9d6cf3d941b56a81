/** What a Dockerfile says, and what is refused of it before anything runs. */
import { expect, test } from 'bun:test'
import { copyPattern, IgnoredFiles } from '#src/runner/dockerfile/patterns.ts'
import { parseLines } from '#src/runner/dockerfile/lines.ts'
import { StageState, type ImageConfig } from '#src/runner/dockerfile/stage-state.ts'
import { readDockerfile } from '#src/runner/dockerfile/stages.ts'

const of = (...lines: readonly string[]): string => lines.join('\n')

/** The configuration of the last stage, on a base that says nothing. */
function configOf(text: string, base: ImageConfig = {}): ImageConfig {
  const { stages, globals, escape } = readDockerfile(text)
  const state = new StageState(base, globals, escape)
  for (const statement of stages.at(-1)?.statements ?? []) state.apply(statement)
  return state.config
}

const faultOf = (text: string): string => {
  try {
    readDockerfile(text)
    return ''
  } catch (error) {
    return (error as Error).message
  }
}

test('lines go on, comments go away, and each instruction knows its line', () => {
  const { instructions, escape } = parseLines(
    of('# escape=`', '', 'FROM a', 'RUN x `', '  # no', '', '  y', 'RUN c:\\', 'RUN `', ' z\r'),
  )
  expect(escape).toBe('`')
  expect(instructions.map(({ name, line, rest }) => [name, line, rest])).toEqual([
    ['FROM', 3, 'a'],
    ['RUN', 4, 'x   y'],
    ['RUN', 8, 'c:\\'],
    ['RUN', 9, 'z'],
  ])
})

test('documents belong to their instruction', () => {
  const text = of(
    'FROM a',
    'RUN <<A cat <<-"B"',
    'one',
    'A',
    '\ttwo $x',
    '\tB',
    'COPY <<c /d/',
    'C',
    'c',
  )
  const [, run, copy] = parseLines(text).instructions
  expect(run?.heredocs).toEqual([
    { name: 'A', isExpanded: true, content: 'one\n' },
    { name: 'B', isExpanded: false, content: 'two $x\n' },
  ])
  expect(copy?.heredocs).toEqual([{ name: 'c', isExpanded: true, content: 'C\n' }])
  expect(faultOf(of('FROM a', 'RUN <<A', 'one'))).toBe('line 2: A of the document is missing')
})

test('only stages that the last one needs are built', () => {
  const { needed, stages } = readDockerfile(
    of(
      'ARG V=3',
      'FROM a:$V AS One',
      'FROM b AS two',
      'FROM ONE AS three',
      'COPY --from=0 /x /y',
      'FROM c',
      'COPY --from=three /x /z',
      'COPY --from=far/image /x /z',
    ),
  )
  expect(needed).toEqual([0, 2, 3])
  expect(stages.map(({ base }) => base)).toEqual(['a:3', 'b', 0, 'c'])
})

test('instructions change the configuration as those of Docker', () => {
  const base = {
    Env: ['PATH=/bin', 'A=base'],
    Cmd: ['base'],
    OnBuild: ['RUN x'],
    Labels: { l: '1' },
  }
  const text = of(
    'ARG G=global',
    'FROM a',
    'ARG G',
    'ENV A=1 B="$A $G"',
    'ENV OLD form $B',
    'LABEL "m n"=\'$A\'',
    'WORKDIR /w',
    'WORKDIR ${B%% }x',
  )
  expect(() => configOf(text, base)).toThrow('line 8:')
  const config = configOf(
    `${text.replace('${B%% }x', 'x/$G')}\nENTRYPOINT e $A\nEXPOSE 80 90-91/udp`,
    base,
  )
  expect(config).toEqual({
    Env: ['PATH=/bin', 'A=1', 'B=base global', 'OLD=form base global'],
    Cmd: null,
    Entrypoint: ['/bin/sh', '-c', 'e $A'],
    Labels: { l: '1', 'm n': '$A' },
    OnBuild: null,
    WorkingDir: '/w/x/global',
    ExposedPorts: { '80/tcp': {}, '90/udp': {}, '91/udp': {} },
  })
  const kept = configOf(
    of('FROM a', 'CMD ["c"]', 'ENTRYPOINT ["e"]', 'HEALTHCHECK --interval=1m2s CMD x'),
  )
  expect(kept.Cmd).toEqual(['c'])
  expect(kept.Healthcheck).toEqual({ Test: ['CMD-SHELL', 'x'], Interval: 62e9 })
})

test('what is not supported is refused with its line and the way out', () => {
  for (const [line, said] of [
    [
      'ADD https://example.com/x /x',
      'line 2: ADD does not fetch https://example.com/x here; fetch it with RUN',
    ],
    [
      'RUN --mount=type=secret,id=a x',
      'RUN --mount=type=secret is not supported here; an action gets secrets',
    ],
    [
      'RUN --mount=target=/x x',
      'RUN --mount=type=bind is not supported here; copy the files with COPY',
    ],
    ['RUN --mount=type=cache,target=/x,uid=5 x', 'nor an owner'],
    ['RUN --network=host x', 'RUN --network=host is not supported here'],
    ['RUN --security=insecure x', 'RUN --security is not supported here'],
    ['COPY --parents a /b', 'COPY --parents is not supported here; name each folder'],
    ['COPY a b /c', 'a slash at its end'],
    ['COPY a', 'at least one source and a target'],
    ['ONBUILD ADD http://x /x', 'ADD does not fetch'],
    ['NOTHING x', 'line 2: NOTHING is no instruction'],
    ['CMD ["a", 1]', 'something that is no text'],
  ] as const)
    expect(faultOf(of('FROM a', line))).toContain(said)
  expect(faultOf('FROM --platform=windows/amd64 a')).toContain('for another machine')
  expect(faultOf('RUN x\nFROM a')).toBe('line 1: only ARG stands before FROM')
  expect(faultOf('# nothing')).toBe('it has no FROM')
})

test('a Dockerfile is bounded', () => {
  expect(faultOf(`FROM a\n${'#'.repeat(300_000)}`)).toContain('bytes')
  expect(faultOf(of('FROM a', ...Array.from({ length: 600 }, () => 'RUN x')))).toContain(
    'instructions',
  )
  expect(faultOf(of(...Array.from({ length: 60 }, () => 'FROM a')))).toContain('stages')
  const doubling = of(
    'FROM a',
    'ENV A=xxxxxxxxxx',
    ...Array.from({ length: 30 }, () => 'ENV A=$A$A'),
  )
  expect(() => configOf(doubling)).toThrow('longer than')
  const many = of(
    'FROM a',
    ...Array.from({ length: 400 }, (_, n) => `ENV A${n}=${'x'.repeat(500)}`),
    'ENV B=1',
  )
  expect(configOf(many).Env?.length).toBe(402)
})

test('patterns leave files out as those of Docker', () => {
  const ignored = new IgnoredFiles(
    of('# no', '*.md', '!README.md', 'docs', '!docs/keep', '**/tmp*', '/a/[b-c]?', 'x\\*'),
  )
  for (const path of [
    'a.md',
    'docs/a',
    'docs/keepnot',
    'tmp',
    'z/y/tmp1/f',
    'a/bx',
    'a/bx/y',
    'x*',
  ])
    expect([path, ignored.has(path)]).toEqual([path, true])
  for (const path of ['README.md', 'z/a.md', 'docs/keep/x', 'a/dx', 'a/b', 'xy'])
    expect([path, ignored.has(path)]).toEqual([path, false])
  expect(new IgnoredFiles('').has('a')).toBe(false)
  const slow = new IgnoredFiles(`${'*a'.repeat(100)}b`)
  expect(slow.has('a'.repeat(4_000))).toBe(false)
  const many = new IgnoredFiles(Array.from({ length: 500 }, () => 'x'.repeat(250)).join('\n'))
  expect(() => many.has('a'.repeat(4_000))).toThrow('too many patterns for so many files')
  expect(() => copyPattern('*'.repeat(300))).toThrow('more than 256 characters')
  expect(copyPattern('a/*.t?t').matches('a/b/c.txt')).toBe(false)
  expect(copyPattern('a/*.t?t').matches('a/c.txt')).toBe(true)
})
