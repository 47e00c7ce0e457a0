/** A plan that has been read: sections of seats, and the areas around them, at absolute coordinates. */
export interface SeatingPlan {
  readonly width: number | null
  readonly height: number | null
  readonly categories: readonly PlanCategory[]
  readonly sections: readonly PlanSection[]
  /** In drawing order. */
  readonly areas: readonly PlanArea[]
}

export interface PlanCategory {
  /** Unique within the plan. Seats and prices name the category by it. */
  readonly key: string
  /** What fans read. */
  readonly name: string
  readonly color: string | null
}

export interface PlanSection {
  /** Unique within the plan. */
  readonly key: string
  readonly name: string
  readonly seats: readonly PlanSeat[]
  readonly rows: readonly PlanRow[]
}

/** A row as the plan lists it. Several rows of a section may have one label. */
export interface PlanRow {
  readonly label: string
  /** The ends beside which the plan shows the label. */
  readonly labelEnds: 'start' | 'end' | 'both' | null
}

export interface PlanSeat {
  /** The plan's own id, unique within the plan. */
  readonly key: string
  readonly row: string
  /** Index into the section's rows. */
  readonly planRow: number
  readonly number: string
  /** The plan's words for the row and the seat in a text, such as "Table 5" and "Chair 3"; null: it has none. */
  readonly rowLabel: string | null
  readonly seatLabel: string | null
  /** Plan units from the top left: the sum of the offsets of zone, row and seat. */
  readonly x: number
  readonly y: number
  /** Of the drawn circle; null where the plan does not say. */
  readonly radius: number | null
  /** Index into the plan's categories. */
  readonly category: number
  readonly wheelchair: boolean
  /** For a companion seat: the key of its wheelchair seat, in the same section. */
  readonly companionOf: string | null
}

export interface PlanPoint {
  readonly x: number
  readonly y: number
}

export type PlanAreaKind = 'RECTANGLE' | 'CIRCLE' | 'ELLIPSE' | 'POLYGON' | 'TEXT'

/** What an area is to the seats around it. */
export type PlanFeature = 'STAGE' | 'SCREEN' | 'FIELD'

/** A shape or a text of a plan. All its other coordinates are relative to its position. */
export interface PlanArea extends PlanPoint {
  readonly kind: PlanAreaKind
  /** Degrees clockwise around the position, of the shape and the text. */
  readonly rotation: number
  /** Of a rectangle, whose top left corner is at the position. */
  readonly width: number | null
  readonly height: number | null
  /** Of a circle or an ellipse, whose centre is at the position. */
  readonly radiusX: number | null
  readonly radiusY: number | null
  /** Of a polygon. */
  readonly points: readonly PlanPoint[]
  readonly color: string | null
  readonly borderColor: string | null
  readonly text: PlanText | null
  readonly feature: PlanFeature | null
  /** The key of the section whose zone has the area; null for a zone without seats. */
  readonly section: string | null
}

export interface PlanText extends PlanPoint {
  readonly text: string
  /** The height of the letters, in plan units. */
  readonly size: number
  readonly color: string | null
}
