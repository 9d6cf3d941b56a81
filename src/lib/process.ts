/**
 * Whether a process of this machine has not ended yet; those of other accounts count too (kill(2),
 * signal 0).
 */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
