import { correction, generate } from 'lean-qr'
import { useMemo } from 'preact/hooks'

/** Draws a QR code. Scanners need dark on light in every colour scheme, and a margin of four modules. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { path, size } = useMemo(() => draw(text), [text])
  return (
    <svg class="qr" viewBox={`-4 -4 ${size + 8} ${size + 8}`} role="img" aria-label={label}>
      <rect x="-4" y="-4" width={size + 8} height={size + 8} />
      <path d={path} />
    </svg>
  )
}

function draw(text: string): { path: string; size: number } {
  const code = generate(text, { minCorrectionLevel: correction.M })
  let path = ''
  for (let y = 0; y < code.size; y++) {
    for (let x = 0; x < code.size; x++) if (code.get(x, y)) path += `M${x} ${y}h1v1h-1z`
  }
  return { path, size: code.size }
}
