/** A larger section is drawn on a canvas: that many elements would be too slow on a phone. */
export const CANVAS_FROM = 1_000
/** The radius of a seat, in distances between neighbours. */
export const RADIUS = 0.4
/** Seats of this size in pixels have room for their numbers. */
export const NUMBERS_FROM = 22
/** A finger hits nothing smaller (WCAG 2.5.8), so a tap on it zooms in. */
export const FINGER = 24
/** How far from a seat's middle a tap still means that seat, in pixels. */
export const FINGER_REACH = 30
/** A mouse hits nothing smaller. */
export const POINTER = 8
/** The size in pixels to which a tap on a small seat zooms in. */
export const COMFORTABLE = 36
/** The size in pixels of a seat at the largest zoom. */
export const LARGEST = 56
