/** Returns a ring of sections around a pitch, in the format of demo/sports-hall.json. Default: 50,000 seats. */
export function stadium({ sections = 100, rows = 20, seatsPerRow = 25 } = {}) {
  const categories = ['Lower', 'Middle', 'Upper']
  const zones = Array.from({ length: sections }, (_, s) => {
    const angle = (2 * Math.PI * s) / sections
    const outward = { x: Math.cos(angle), y: Math.sin(angle) }
    return {
      name: `Section ${101 + s}`,
      position: { x: 6_000 + 4_000 * outward.x, y: 6_000 + 4_000 * outward.y },
      rows: Array.from({ length: rows }, (_, r) => ({
        row_number: String(r + 1),
        position: { x: 36 * r * outward.x, y: 36 * r * outward.y },
        seats: Array.from({ length: seatsPerRow }, (_, n) => ({
          seat_guid: `${101 + s}-${r + 1}-${n + 1}`,
          seat_number: String(n + 1),
          position: { x: -22 * n * outward.y, y: 22 * n * outward.x },
          category: categories[Math.min(2, Math.floor((3 * r) / rows))] as string,
        })),
      })),
    }
  })
  return {
    name: 'Stadium',
    size: { width: 12_000, height: 12_000 },
    categories: categories.map((name) => ({ name, color: '#1D3557' })),
    zones,
  }
}
