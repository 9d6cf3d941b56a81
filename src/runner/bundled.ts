/**
 * Programs that this executable brings along for the sandbox, from `assets/sandbox`. They are static,
 * so any Linux of their kind of machine runs them.
 */
import bwrapArm64 from '../../assets/sandbox/bwrap-arm64.bin' with { type: 'file' }
import bwrapX64 from '../../assets/sandbox/bwrap-x64.bin' with { type: 'file' }
import forwardArm64 from '../../assets/sandbox/forward-arm64.bin' with { type: 'file' }
import forwardX64 from '../../assets/sandbox/forward-x64.bin' with { type: 'file' }
import holdArm64 from '../../assets/sandbox/hold-arm64.bin' with { type: 'file' }
import holdX64 from '../../assets/sandbox/hold-x64.bin' with { type: 'file' }
import stepArm64 from '../../assets/sandbox/step-arm64.bin' with { type: 'file' }
import stepX64 from '../../assets/sandbox/step-x64.bin' with { type: 'file' }

export type BundledProgram = 'bwrap' | 'forward' | 'hold' | 'step'

const PROGRAMS: Readonly<Record<string, Readonly<Record<BundledProgram, string>>>> = {
  x64: { bwrap: bwrapX64, forward: forwardX64, hold: holdX64, step: stepX64 },
  arm64: { bwrap: bwrapArm64, forward: forwardArm64, hold: holdArm64, step: stepArm64 },
}

/** The bytes of a program; null for a kind of machine that has none. */
export async function bundledProgram(name: BundledProgram): Promise<Uint8Array | null> {
  const path = process.platform === 'linux' ? PROGRAMS[process.arch]?.[name] : undefined
  return path === undefined ? null : await Bun.file(path).bytes()
}
