import { drainMicrotasks } from 'bun:jsc'
import { expect, test } from 'bun:test'
import { RequestTurns, type TurnRequest } from '../../src/http/request-turns.ts'
import { Refusal } from '#lib/errors.ts'

/** A loop whose time and turns the test decides. */
class Loop {
  nowMs = 0
  readonly #later: (() => void)[] = []
  readonly turns = new RequestTurns({
    now: () => this.nowMs,
    later: (run) => void this.#later.push(run),
    settle: drainMicrotasks,
  })
  /** The names of the requests in the order in which they began. */
  readonly begun: string[] = []

  /** A request that computes for some milliseconds. */
  compute(name: string, from: Partial<TurnRequest> = {}, costMs = 1): Promise<string> {
    return this.#run(name, from, () => {
      this.nowMs += costMs
      return name
    })
  }

  /** The same, after it has waited for something that is there already. */
  computeLater(name: string, costMs: number): Promise<string> {
    return this.#run(name, {}, async () => {
      await null
      this.nowMs += costMs
      return name
    })
  }

  /** A request that computes when its body has come, which the returned function says. */
  read(name: string, from: Partial<TurnRequest>, costMs: number): () => void {
    const { promise, resolve } = Promise.withResolvers<void>()
    const request = this.#request(from)
    const run = async (): Promise<string> => {
      await promise
      const turn = this.turns.resume(request)
      if (turn !== null) await turn
      this.begun.push(name)
      this.nowMs += costMs
      return name
    }
    void this.turns.run(request, run, () => 'abandoned')
    return resolve
  }

  /** A request that waits for something else; the returned function ends it. */
  open(name: string, from: Partial<TurnRequest> = {}): () => void {
    const { promise, resolve } = Promise.withResolvers<string>()
    void this.#run(name, from, () => promise)
    return () => resolve(name)
  }

  async #run(
    name: string,
    from: Partial<TurnRequest>,
    run: () => string | Promise<string>,
  ): Promise<string> {
    return await this.turns.run(
      this.#request(from),
      () => {
        this.begun.push(name)
        return run()
      },
      () => 'abandoned',
    )
  }

  #request(from: Partial<TurnRequest>): TurnRequest {
    return {
      network: 'a',
      credential: '',
      isSignedIn: () => true,
      isAborted: () => false,
      ...from,
    }
  }

  /** The next turn of the loop. */
  async turn(): Promise<void> {
    await new Promise<void>((resolve) =>
      setImmediate(() => {
        for (const run of this.#later.splice(0)) run()
        resolve()
      }),
    )
    await Bun.sleep(0)
  }
}

test('requests begin at once while the loop is not busy', () => {
  const loop = new Loop()
  for (const name of ['1', '2', '3']) void loop.compute(name)
  expect(loop.begun).toEqual(['1', '2', '3'])
  expect(loop.turns.waiting).toBe(0)
})

test('a caller with one request is next, however many another has sent before', async () => {
  const loop = new Loop()
  const results = Array.from({ length: 100 }, (_, n) => loop.compute(`a${n}`, {}, 2))
  // The loop has spent more than 2 ms by then, so it looks for new requests first.
  expect(loop.begun).toEqual(['a0', 'a1'])
  void loop.compute('b', { network: 'b' })
  await loop.turn()
  expect(loop.begun.slice(2)).toContain('b')
  expect(loop.begun.length).toBeLessThan(6)
  for (let turns = 0; turns < 100; turns++) await loop.turn()
  expect(await Promise.all(results)).toHaveLength(100)
  expect(loop.turns.waiting).toBe(0)
})

test('what a request does after its first promise is part of its turn', async () => {
  const loop = new Loop()
  void loop.compute('first', {}, 4)
  const results = Array.from({ length: 20 }, (_, n) => loop.computeLater(`a${n}`, 2))
  expect(loop.begun).toEqual(['first'])
  await loop.turn()
  // Two take 4 ms, which is more than a turn has.
  expect(loop.begun).toEqual(['first', 'a0', 'a1'])
  expect(loop.nowMs).toBe(8)
  for (let turns = 0; turns < 20; turns++) await loop.turn()
  expect(await Promise.all(results)).toHaveLength(20)
})

test('callers of one network take turns by their credentials', async () => {
  const loop = new Loop()
  for (let n = 0; n < 10; n++) void loop.compute(`a${n}`, { credential: 'one' }, 4)
  void loop.compute('b', { credential: 'two' })
  await loop.turn()
  await loop.turn()
  expect(loop.begun.slice(1, 3)).toContain('b')
})

test('a network has few requests under way while others are there', async () => {
  const loop = new Loop()
  void loop.compute('b', { network: 'b' })
  const ends = Array.from({ length: 10 }, (_, n) => loop.open(`a${n}`))
  // Alone, it may have them all.
  expect(loop.begun).toHaveLength(11)
  void loop.compute('b', { network: 'b' })
  for (let n = 10; n < 20; n++) ends.push(loop.open(`a${n}`))
  await loop.turn()
  expect(loop.begun.slice(11)).toEqual(['b'])
  expect(loop.turns.waiting).toBe(10)
  for (const end of ends.slice(0, 9)) end()
  await loop.turn()
  await loop.turn()
  // One of ten is left, and three more begin.
  expect(loop.begun.slice(12)).toEqual(['a10', 'a11', 'a12'])
})

test('a request that waits for something else does not count for long', async () => {
  const loop = new Loop()
  void loop.compute('b', { network: 'b' })
  for (let n = 0; n < 32; n++) loop.open(`a${n}`, { credential: 'x' })
  void loop.open('late', { credential: 'x' })
  await loop.turn()
  expect(loop.begun).not.toContain('late')
  loop.nowMs += 3_000
  void loop.compute('b', { network: 'b' })
  await loop.turn()
  expect(loop.begun.slice(-2)).toContain('late')
})

test('a full loop begins a request of a network without any, and all once others wait', async () => {
  const loop = new Loop()
  const waiting: TurnRequest[] = []
  for (let n = 0; n < 32; n++) {
    const request = {
      network: 'a',
      credential: 'x',
      isSignedIn: () => true,
      isAborted: () => false,
    }
    waiting.push(request)
    void loop.turns.run(
      request,
      () => new Promise<string>(() => {}),
      () => '',
    )
  }
  loop.open('full', { credential: 'x' })
  loop.open('other', { network: 'b', credential: 'y' })
  await loop.turn()
  expect(loop.begun).toEqual(['other'])
  // They wait for something else than the loop from now on.
  for (const { endTurn } of waiting) endTurn?.()
  await loop.turn()
  expect(loop.begun).toEqual(['other', 'full'])
})

test('signed-in callers come before anonymous ones, which still get every fourth turn', async () => {
  const loop = new Loop()
  void loop.compute('first', { network: 'z' }, 4)
  const anonymous = { credential: 'made up', isSignedIn: () => false }
  for (let n = 0; n < 3; n++) void loop.compute(`anonymous${n}`, { network: `n${n}` }, 4)
  void loop.compute('anonymous3', { network: 'n3', ...anonymous }, 4)
  for (let n = 0; n < 6; n++)
    void loop.compute(`user${n}`, { network: `u${n}`, credential: 'x' }, 4)
  for (let turns = 0; turns < 12; turns++) await loop.turn()
  const kinds = loop.begun.slice(1).map((name) => name.replace(/\d/, ''))
  expect(kinds.slice(0, 4).sort()).toEqual(['anonymous', 'user', 'user', 'user'])
  expect(loop.begun).toHaveLength(11)
})

test('a client that has given up costs nothing', async () => {
  const loop = new Loop()
  void loop.compute('first', {}, 4)
  let isAborted = false
  const result = loop.compute('gone', { isAborted: () => isAborted })
  isAborted = true
  await loop.turn()
  expect(await result).toBe('abandoned')
  expect(loop.begun).toEqual(['first'])
})

test('a full queue refuses the newest request of the network with the most', async () => {
  const loop = new Loop()
  void loop.compute('first', {}, 4)
  const waiting = Array.from({ length: 1024 }, (_, n) => loop.compute(`a${n}`))
  const other = loop.compute('b', { network: 'b' })
  expect(loop.turns.waiting).toBe(1024)
  await expect(waiting[1023]).rejects.toBeInstanceOf(Refusal)
  await loop.turn()
  expect(await other).toBe('b')
})

test('requests whose bodies have come go on in turns, before others of their caller begin', async () => {
  const loop = new Loop()
  const attacker = { network: 'a', credential: 'x' }
  const bodies = Array.from({ length: 5 }, (_, n) => loop.read(`a${n}`, attacker, 2))
  await loop.turn()
  // All bodies come at once: two take 4 ms, which is more than a turn has.
  for (const arrive of bodies) arrive()
  await Bun.sleep(0)
  expect(loop.begun).toEqual(['a0', 'a1'])
  void loop.compute('a5', attacker)
  void loop.compute('b', { network: 'b', credential: 'y' })
  await loop.turn()
  expect(loop.begun.slice(2, 4)).toEqual(['b', 'a2'])
  for (let turns = 0; turns < 10; turns++) await loop.turn()
  expect(loop.begun.slice(4)).toEqual(['a3', 'a4', 'a5'])
})

test('a network that has used much of the loop is behind the others, signed in or not', async () => {
  const loop = new Loop()
  const user = { network: 'a', credential: 'x' }
  const anonymous = { network: 'b', isSignedIn: () => false }
  /** How many of four turns are those of the user, when both wait. */
  const turnsOfUser = async (): Promise<number> => {
    void loop.compute('first', { network: 'z' }, 4)
    for (let n = 0; n < 4; n++) {
      void loop.compute('anonymous', anonymous, 4)
      void loop.compute('user', user, 4)
    }
    const before = loop.begun.length
    for (let turns = 0; turns < 4; turns++) await loop.turn()
    const taken = loop.begun.slice(before)
    for (let turns = 0; turns < 20; turns++) await loop.turn()
    return taken.filter((name) => name === 'user').length
  }
  expect(await turnsOfUser()).toBe(3)
  void loop.compute('first', { network: 'z' }, 4)
  void loop.compute('long', user, 1_000)
  for (let turns = 0; turns < 4; turns++) await loop.turn()
  expect(await turnsOfUser()).toBe(1)
  // What it has used is forgotten.
  loop.nowMs += 10_000
  expect(await turnsOfUser()).toBe(3)
})

test('the only request of a light network begins at once while heavy ones wait', async () => {
  const loop = new Loop()
  const heavy = { network: 'a', credential: 'x' }
  const light = { network: 'b', isSignedIn: () => false }
  void loop.compute('first', { network: 'z' }, 4)
  void loop.compute('long', heavy, 1_000)
  for (let turns = 0; turns < 4; turns++) await loop.turn()
  void loop.compute('first', { network: 'z' }, 4)
  for (let n = 0; n < 3; n++) void loop.compute(`a${n}`, heavy, 4)
  void loop.compute('b0', light, 4)
  expect(loop.begun.at(-1)).toBe('b0')
  // A flood from many networks has no more than three such requests in a turn.
  for (let n = 0; n < 5; n++) void loop.compute(`c${n}`, { ...light, network: `c${n}` }, 4)
  expect(loop.begun.slice(-3)).toEqual(['b0', 'c0', 'c1'])
  expect(loop.turns.waiting).toBe(6)
})

test('a caller who has used much of the loop is behind the others from any network', async () => {
  const loop = new Loop()
  const from = (network: string) => ({ network, credential: 'x' })
  void loop.compute('first', { network: 'z' }, 4)
  for (let n = 0; n < 4; n++) void loop.compute('long', from(`a${n}`), 100)
  for (let turns = 0; turns < 8; turns++) await loop.turn()
  void loop.compute('first', { network: 'z' }, 4)
  void loop.compute('again', from('new'), 4)
  // It passes those of the heavy caller, who cannot pass from a network of its own.
  void loop.compute('light', { network: 'b', credential: 'y' }, 4)
  expect(loop.begun.at(-1)).toBe('light')
  void loop.compute('once more', from('newer'), 4)
  expect(loop.begun.at(-1)).toBe('light')
  // Whoever sends a token that is nobody's is not behind for it.
  const guess = { credential: 'guess', isSignedIn: () => false }
  for (let n = 0; n < 4; n++) void loop.compute('guess', { ...guess, network: `g${n}` }, 100)
  for (let turns = 0; turns < 20; turns++) await loop.turn()
  void loop.compute('first', { network: 'z' }, 4)
  void loop.compute('heavy', from('newest'), 4)
  void loop.compute('guess of another', { ...guess, network: 'h' }, 4)
  expect(loop.begun.at(-1)).toBe('guess of another')
})
