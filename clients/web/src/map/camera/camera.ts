import { batch, type ReadonlySignal, signal } from '@preact/signals'
import { select } from 'd3-selection'
import { type ZoomTransform, zoom, zoomIdentity } from 'd3-zoom'
import type { Point } from '../../../../sdk/index.ts'
import type { Box } from '../geometry/box.ts'
import { remOf } from '../geometry/rem.ts'

/** Where the plan is on the screen: a point of the plan is at (x · scale + left, y · scale + top) pixels. */
export interface View {
  readonly scale: number
  readonly left: number
  readonly top: number
  /** Of the element, in pixels. */
  readonly width: number
  readonly height: number
  /** How far the map is zoomed in; 1: the whole plan. */
  readonly zoom: number
  readonly mostZoom: number
}

/** The part of a plan that the fan sees, moved by pinch, drag, wheel and keys. */
export interface Camera {
  readonly view: ReadonlySignal<View>
  /** The view for which the picture is drawn. It follows `view` after a moment: to draw takes longer than a frame. */
  readonly drawn: ReadonlySignal<View>
  /** Zooms by a factor. `at`: the pixel that stays where it is; default: the middle. */
  zoomBy(factor: number, at?: Point): void
  /** Zooms until a plan unit has this many pixels, and brings the point of the plan to the middle. */
  zoomTo(point: Point, scale: number): void
  showAll(): void
  /** Moves by pixels. */
  moveBy(dx: number, dy: number): void
  /** Moves as little as needed for the point of the plan to be at least `margin` pixels inside. */
  reveal(point: Point, margin: number): void
  stop(): void
}

export interface CameraOptions {
  /** The part of the plan to show, in plan units. */
  box: Box
  /** The largest useful scale, in pixels for a plan unit. */
  mostScale: number
  /** The largest scale at which the whole plan is shown: a plan of a few seats does not fill the screen. */
  mostWholeScale: number
  /** Kept free beside the whole plan, in rem. */
  padding: Point
  /** True where a press moves the plan over several frames; a large plan jumps: a phone cannot draw it that often. */
  isAnimated: boolean
}

const ANIMATION_MS = 220
/** The picture is drawn again this often while the plan moves. */
const REDRAW_MS = 150

/** Follows an element's size and gestures until it is stopped. */
export function createCamera(
  element: HTMLElement,
  { box, mostScale, mostWholeScale, padding, isAnimated }: CameraOptions,
): Camera {
  const selection = select(element)
  const still = matchMedia('(prefers-reduced-motion: reduce)')
  let transform: ZoomTransform = zoomIdentity
  let frame = 0
  let animation = 0
  let redraw: ReturnType<typeof setTimeout> | undefined
  let isMoving = false
  let isAnimating = false
  // Measured only when the element's size changes: a frame that reads the layout would have to compute it.
  let whole = wholePlan()
  const view = signal<View>(placed())
  const drawn = signal<View>(view.value)

  /** The view of the whole plan: it fits the element and lies in its middle. */
  function wholePlan() {
    const { clientWidth: width, clientHeight: height } = element
    const rem = remOf()
    const [inner, high] = [width - 2 * padding.x * rem, height - 2 * padding.y * rem]
    const scale = Math.max(0.001, Math.min(inner / box.width, high / box.height, mostWholeScale))
    const left = (width - box.width * scale) / 2 - box.x * scale
    const top = (height - box.height * scale) / 2 - box.y * scale
    return { width, height, scale, left, top, mostZoom: Math.max(1, mostScale / scale) }
  }

  function placed(): View {
    return {
      scale: whole.scale * transform.k,
      left: whole.left * transform.k + transform.x,
      top: whole.top * transform.k + transform.y,
      width: whole.width,
      height: whole.height,
      zoom: transform.k,
      mostZoom: whole.mostZoom,
    }
  }

  const behavior = zoom<HTMLElement, unknown>()
    // A finger or a wheel that cannot move the map further scrolls the page.
    .filter((event: Event) => {
      if (event instanceof WheelEvent) return event.ctrlKey || event.deltaY < 0 || transform.k > 1
      if ('touches' in event) return (event as TouchEvent).touches.length > 1 || transform.k > 1
      return (event as MouseEvent).button === 0 && transform.k > 1
    })
    .clickDistance(6)
    .on('start', ({ sourceEvent }: { sourceEvent: Event | null }) => {
      if (sourceEvent) stopAnimation()
      isMoving = true
    })
    .on('zoom', ({ transform: next }: { transform: ZoomTransform }) => {
      transform = next
      show()
    })
    .on('end', () => {
      isMoving = isAnimating
      show()
    })
  selection.call(behavior).on('dblclick.zoom', null)

  /** Moves the picture in the next frame, and draws it again after that frame: a press answers at once. */
  function show() {
    frame ||= requestAnimationFrame(() => {
      frame = 0
      element.classList.toggle('zoomed', transform.k > 1)
      view.value = placed()
      if (!isMoving) clearTimeout(redraw)
      if (!isMoving || redraw === undefined) redraw = setTimeout(draw, isMoving ? REDRAW_MS : 0)
    })
  }

  function draw() {
    clearTimeout(redraw)
    redraw = undefined
    batch(() => {
      view.value = placed()
      drawn.value = view.value
    })
  }

  function resize() {
    whole = wholePlan()
    const { width, height, mostZoom } = whole
    behavior
      .extent([
        [0, 0],
        [width, height],
      ])
      .scaleExtent([1, mostZoom])
      .translateExtent([
        [0, 0],
        [width, height],
      ])
    selection.call(behavior.transform, clamped(transform))
    draw()
  }

  /** Keeps the plan in the element. */
  function clamped({ k, x, y }: ZoomTransform): ZoomTransform {
    const { width, height, mostZoom } = whole
    const zoomed = Math.min(Math.max(1, k), mostZoom)
    const inside = (offset: number, size: number) => Math.min(0, Math.max(size * (1 - zoomed), offset))
    return zoomIdentity.translate(inside(x, width), inside(y, height)).scale(zoomed)
  }

  function stopAnimation() {
    cancelAnimationFrame(animation)
    isAnimating = false
  }

  function go(to: ZoomTransform) {
    stopAnimation()
    const target = clamped(to)
    if (!isAnimated || still.matches) return void selection.call(behavior.transform, target)
    const from = transform
    const start = performance.now()
    isAnimating = true
    const step = (now: number) => {
      const t = Math.min(1, Math.max(0, (now - start) / ANIMATION_MS))
      const eased = 1 - (1 - t) ** 3
      const mix = (a: number, b: number) => a + (b - a) * eased
      const next = zoomIdentity
        .translate(mix(from.x, target.x), mix(from.y, target.y))
        .scale(mix(from.k, target.k))
      isAnimating = t < 1
      selection.call(behavior.transform, t < 1 ? next : target)
      if (t < 1) animation = requestAnimationFrame(step)
    }
    animation = requestAnimationFrame(step)
  }

  const sizes = new ResizeObserver(resize)
  sizes.observe(element)
  resize()

  return {
    view,
    drawn,
    zoomBy(factor, at = { x: whole.width / 2, y: whole.height / 2 }) {
      const k = Math.min(Math.max(1, transform.k * factor), whole.mostZoom)
      const grown = k / transform.k
      go(
        zoomIdentity
          .translate(at.x - (at.x - transform.x) * grown, at.y - (at.y - transform.y) * grown)
          .scale(k),
      )
    },
    zoomTo(point, scale) {
      const k = Math.min(Math.max(1, scale / whole.scale), whole.mostZoom)
      const [x, y] = [point.x * whole.scale + whole.left, point.y * whole.scale + whole.top]
      go(zoomIdentity.translate(whole.width / 2 - x * k, whole.height / 2 - y * k).scale(k))
    },
    showAll() {
      go(zoomIdentity)
    },
    moveBy(dx, dy) {
      go(zoomIdentity.translate(transform.x + dx, transform.y + dy).scale(transform.k))
    },
    reveal(point, margin) {
      const { scale, left, top, width, height } = placed()
      const shift = (at: number, size: number) => Math.max(0, margin - at) - Math.max(0, at - (size - margin))
      const dx = shift(point.x * scale + left, width)
      const dy = shift(point.y * scale + top, height)
      if (dx !== 0 || dy !== 0)
        go(zoomIdentity.translate(transform.x + dx, transform.y + dy).scale(transform.k))
    },
    stop() {
      sizes.disconnect()
      cancelAnimationFrame(frame)
      clearTimeout(redraw)
      stopAnimation()
      selection.on('.zoom', null)
    },
  }
}

/** The pixel of a point of the plan. */
export function toScreen({ scale, left, top }: View, { x, y }: Point): Point {
  return { x: x * scale + left, y: y * scale + top }
}

/** The point of the plan at a pixel. */
export function toPlan({ scale, left, top }: View, { x, y }: Point): Point {
  return { x: (x - left) / scale, y: (y - top) / scale }
}

/** The CSS transform that shows in one view what is drawn for another one. Its origin is the corner. */
export function carried(drawn: View, seen: View): string {
  const grown = seen.scale / drawn.scale
  return `translate(${seen.left - drawn.left * grown}px, ${seen.top - drawn.top * grown}px) scale(${grown})`
}
