import type { texts as en } from './en.ts'

export const texts: Record<keyof typeof en, string> = {
  chooseSection: 'اختر قسمًا',
  whatIsFree: 'المتاح الآن',
  noneFreeNow: 'لا شيء متاح الآن',
  noneFree: 'لا شيء متاح',
  freeNumber: '{$count :integer} متاح',
  freeSeats:
    '.input {$count :integer} .match $count zero {{لا مقاعد متاحة}} one {{مقعد واحد متاح}} two {{مقعدان متاحان}} few {{{$count} مقاعد متاحة}} many {{{$count} مقعدًا متاحًا}} * {{{$count} مقعد متاح}}',
  allSections: 'كل الأقسام',
  loading: 'جارٍ التحميل…',
  zoomIn: 'تكبير',
  wholeSection: 'القسم كاملًا',
  countsOnly:
    'تعرف هذه الصفحة الآن عدد المقاعد المتاحة فقط، لا أيها متاح. يمكنك الاختيار مع ذلك، وستخبرك الصفحة فورًا إذا كان المقعد مأخوذًا.',
  wheelchair: 'مكان لكرسي متحرك',
  companion: 'مقعد مرافق',
  available: 'متاح',
  held: 'محجوز لشخص آخر',
  sold: 'مباع',
  notForSale: 'غير معروض للبيع',
  unknown: 'ربما متاح',
  chosen: 'اخترته أنت',
  leftAlone: 'سيبقى منفردًا',
  loadAgain: 'أعد تحميل المقاعد',
  putBack:
    '.input {$count :integer} .match $count zero {{أُعيد {$seat}. لا مقاعد مختارة.}} one {{أُعيد {$seat}. مقعد واحد مختار.}} two {{أُعيد {$seat}. مقعدان مختاران.}} few {{أُعيد {$seat}. {$count} مقاعد مختارة.}} many {{أُعيد {$seat}. {$count} مقعدًا مختارًا.}} * {{أُعيد {$seat}. {$count} مقعد مختار.}}',
  nowChosen: 'اخترت {$seat}. {$count :integer} من {$limit :integer}.',
  limitReached:
    '.input {$limit :integer} .match $limit one {{يمكنك اختيار مقعد واحد. أعده لتختار غيره.}} two {{يمكنك اختيار مقعدين. أعد أحدهما لتختار غيره.}} few {{يمكنك اختيار {$limit} مقاعد. أعد أحدها لتختار غيره.}} many {{يمكنك اختيار {$limit} مقعدًا. أعد أحدها لتختار غيره.}} * {{يمكنك اختيار {$limit} مقعد. أعد أحدها لتختار غيره.}}',
  noMore: 'لديك أقصى عدد من التذاكر لهذه الفعالية يمكن لحساب واحد الحصول عليه.',
  justTaken:
    '.input {$count :integer} .match $count one {{أخذ شخص آخر {$seats} للتو.}} two {{أخذ آخرون {$seats} للتو.}} few {{أخذ آخرون {$seats} للتو.}} many {{أخذ آخرون {$seats} للتو.}} * {{أخذ آخرون {$seats} للتو.}}',
  seatsOf:
    'مقاعد {$section}. مفاتيح الأسهم للتنقل، ومفتاح المسافة للاختيار، وعلامتا الزائد والناقص للتكبير والتصغير.',
  zoomOut: 'تصغير',
  wholeHall: 'القاعة كاملة',
  hallMap:
    'خريطة القاعة. علامتا الزائد والناقص للتكبير والتصغير، ومفاتيح الأسهم للتحريك. القائمة أدناه فيها الأقسام نفسها.',
  sectionFree: '{$section}: {$free}',
  rowName: 'الصف {$row}',
  noRow: 'مقاعد بلا صف',
  seatsByRow: 'المقاعد حسب الصف',
  sections: 'الأقسام',
  STAGE: 'المسرح',
  SCREEN: 'الشاشة',
  FIELD: 'الملعب',
  MIDDLE: 'وسط القاعة',
  moreFree: 'كلما كان اللون أقوى زادت المقاعد المتاحة.',
  palerSections: 'الألوان هي الأسعار. كلما بهت لون القسم قلّت مقاعده المتاحة.',
  sideBySide: 'لا يحدد المخطط مواقع الأقسام، لذلك رُسمت جنبًا إلى جنب.',
  showOnly: 'إظهار فقط',
  showAll: 'إظهار الكل',
  wheelchairs: 'كرسي متحرك',
  together: 'مقاعد متجاورة',
  togetherAny: 'أي مقاعد',
  togetherCount: '{$count :integer} متجاورة',
  matchingSections:
    '.input {$count :integer} .match $count zero {{لا قسم فيه مثل هذه المقاعد.}} one {{قد يكون في قسم واحد مثل هذه المقاعد.}} two {{قد يكون في قسمين مثل هذه المقاعد.}} few {{قد يكون في {$count} أقسام مثل هذه المقاعد.}} many {{قد يكون في {$count} قسمًا مثل هذه المقاعد.}} * {{قد يكون في {$count} قسم مثل هذه المقاعد.}}',
  matchingSeats:
    '.input {$count :integer} .match $count zero {{لا مقعد متاح مطابق.}} one {{مقعد متاح واحد مطابق.}} two {{مقعدان متاحان مطابقان.}} few {{{$count} مقاعد متاحة مطابقة.}} many {{{$count} مقعدًا متاحًا مطابقًا.}} * {{{$count} مقعد متاح مطابق.}}',
  noMatch: 'لا مقعد متاح هنا يطابق ذلك.',
}
