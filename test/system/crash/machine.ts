/**
 * The machine that the forge runs on, as far as it can fail: its process can be killed, and its
 * power can be cut.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'

export type Machine = {
  /** The data directory; another one after a power cut. */
  readonly data: string
  /** Ends the process with this id in the way of this machine; `kill` ends it and waits. */
  cut(pid: number, kill: () => Promise<void>): Promise<void>
  /** Takes down what was set up; the data stays where `keep` says so (a disk as its image). */
  close(keep: boolean): Promise<void>
}

/** `kill -9`: the process is gone, what it wrote is with the kernel. */
export function killMachine(directory: string): Machine {
  const data = join(directory, 'data')
  return { data, cut: (_, kill) => kill(), close: async () => {} }
}

async function run(...command: string[]): Promise<string> {
  const child = Bun.spawn(command, { stdout: 'pipe', stderr: 'pipe' })
  const [out, error, status] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  if (status !== 0) throw new Error(`${command.join(' ')}: ${error.trim() || `status ${status}`}`)
  return out.trim()
}

/** Room for the data of a long run; the file is sparse, so it takes what is used. */
const IMAGE_MIB = 1024

/**
 * A long time between the file system's own commits, and no help for a program that renames without
 * a sync (ext4(5), `commit`, `noauto_da_alloc`): what survives is what the program itself has
 * synced.
 */
const MOUNT_OPTIONS = 'commit=300,noauto_da_alloc,noatime'

type Disk = { readonly image: string; readonly device: string; readonly mount: string }

async function attach(image: string, mount: string): Promise<Disk> {
  const device = await run('losetup', '--find', '--show', image)
  try {
    mkdirSync(mount, { recursive: true })
    await run('mount', '-t', 'ext4', '-o', MOUNT_OPTIONS, device, mount)
  } catch (error) {
    await run('losetup', '-d', device)
    throw error
  }
  return { image, device, mount }
}

async function detach({ image, device, mount }: Disk, keep: boolean): Promise<void> {
  await run('umount', mount)
  await run('losetup', '-d', device)
  if (!keep) rmSync(image, { force: true })
  rmSync(mount, { recursive: true, force: true })
}

/** Whether every thread has stopped: one that is inside a system call ends it first. */
const hasStopped = (pid: number): boolean =>
  readdirSync(`/proc/${pid}/task`).every((thread) => {
    const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8')
    return /^[tTZX]/.test(stat.slice(stat.lastIndexOf(')') + 2))
  })

/**
 * Writes that a block device has taken so far, and those under way (kernel documentation,
 * block/stat.rst).
 */
function writesOf(device: string): { done: string; underWay: number } {
  const fields = readFileSync(`/sys/block/${basename(device)}/stat`, 'utf8')
    .trim()
    .split(/\s+/)
  return { done: `${fields[4]} ${fields[6]}`, underWay: Number(fields[8]) }
}

/**
 * A machine whose power can be cut: the data lies in a file system of its own on a loop device. The
 * cut stops the process, copies the device's backing file (what was never written to the device is
 * not in it) and goes on with the copy. Throws where there are no loop devices or no right to
 * mount.
 */
export async function powerMachine(directory: string): Promise<Machine> {
  let serial = 0
  const image = join(directory, 'disk-0.img')
  await run('truncate', '-s', `${IMAGE_MIB}M`, image)
  await run(
    'mkfs.ext4',
    '-q',
    '-F',
    '-m',
    '0',
    '-J',
    'size=16',
    '-E',
    'lazy_itable_init=0,lazy_journal_init=0',
    image,
  )
  let disk = await attach(image, join(directory, 'mount-0'))
  return {
    get data() {
      return join(disk.mount, 'data')
    },
    async cut(pid, kill) {
      process.kill(pid, 'SIGSTOP')
      while (!hasStopped(pid)) await Bun.sleep(1)
      const copy = join(directory, `disk-${++serial}.img`)
      await copyAtOnce(disk, copy)
      await kill()
      await detach(disk, false)
      disk = await attach(copy, join(directory, `mount-${serial}`))
    },
    close: (keep) => detach(disk, keep),
  }
}

/**
 * Copies a backing file as it is at one moment: a copy during which the device was written to is
 * thrown away.
 */
async function copyAtOnce({ image, device }: Disk, copy: string): Promise<void> {
  for (let attempt = 0; attempt < 50; attempt++) {
    const before = writesOf(device)
    if (before.underWay === 0) {
      await run('cp', '--sparse=always', image, copy)
      const after = writesOf(device)
      if (after.underWay === 0 && after.done === before.done) return
    }
    await Bun.sleep(5)
  }
  throw new Error(`${device} was written to without a pause, so no moment of it could be copied`)
}

/** Why the power of a machine cannot be cut here; null when it can. */
export async function whyNoPowerCut(directory: string): Promise<string | null> {
  if (process.platform !== 'linux') return 'power cuts need Linux'
  if (process.getuid?.() !== 0) return 'power cuts need root, to mount a file system'
  if (!existsSync('/dev/loop-control')) return 'there are no loop devices'
  try {
    const machine = await powerMachine(directory)
    await machine.close(false)
    return null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
