/**
 * The processor time of the longest turn of the event loop of a forge, in milliseconds, since it was
 * last asked. By the clock a turn takes as much longer as other work has the processors.
 */
export async function longestTurnOf({
  url,
  token,
}: {
  readonly url: string
  readonly token: string
}): Promise<number> {
  const response = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } })
  const text = await response.text()
  const seconds = /^hearth_event_loop_longest_turn_cpu_seconds\{since="scrape"\} (\S+)/m.exec(
    text,
  )?.[1]
  if (seconds === undefined) throw new Error(`/metrics answered ${response.status} without turns`)
  return 1000 * Number(seconds)
}
