// SPDX-License-Identifier: BSD-3-Clause
// Names are compared in Unicode's composed form (NFC). Its letters that have marks stand here: those of
// Latin, Greek, Cyrillic and kana, and Hangul, which has a formula. Text of other scripts stays as it is.
#include <algorithm>
#include <map>
#include <utility>

#include "runtime/text.hpp"

namespace parity::runtime {
namespace {

/// A mark, its class, by which marks of a letter are ordered, and pairs of a letter without and with it. The
/// last row's are two numbers of one letter.
struct Marked {
  char32_t mark;
  int order;
  const char32_t* pairs;
};
// clang-format off
constexpr Marked rows[] = {
    {0x3099, 8, U"かがきぎくぐけげこごさざしじすずせぜそぞただちぢつづてでとどはばひびふぶへべほぼうゔゝゞ"
     U"カガキギクグケゲコゴサザシジスズセゼソゾタダチヂツヅテデトドハバヒビフブヘベホボウヴワヷヰヸヱヹヲヺ"
     U"ヽヾ"},
    {0x309a, 8, U"はぱひぴふぷへぺほぽハパヒピフプヘペホポ"},
    {0x0327, 202, U"CÇcçGĢgģKĶkķLĻlļNŅnņRŖrŗSŞsşTŢtţEȨeȩDḐdḑHḨhḩ"},
    {0x0328, 202, U"AĄaąEĘeęIĮiįUŲuųOǪoǫ"},
    {0x031b, 216, U"OƠoơUƯuư"},
    {0x0323, 220, U"BḄbḅDḌdḍHḤhḥKḲkḳLḶlḷMṂmṃNṆnṇRṚrṛSṢsṣTṬtṭVṾvṿWẈwẉZẒzẓAẠaạEẸeẹIỊiịOỌoọƠỢơợUỤuụƯỰưựYỴyỵ"},
    {0x0324, 220, U"UṲuṳ"},
    {0x0325, 220, U"AḀaḁ"},
    {0x0326, 220, U"SȘsșTȚtț"},
    {0x032d, 220, U"DḒdḓEḘeḙLḼlḽNṊnṋTṰtṱUṶuṷ"},
    {0x032e, 220, U"HḪhḫ"},
    {0x0330, 220, U"EḚeḛIḬiḭUṴuṵ"},
    {0x0331, 220, U"BḆbḇDḎdḏKḴkḵLḺlḻNṈnṉRṞrṟTṮtṯZẔzẕhẖ"},
    {0x0300, 230, U"AÀEÈIÌOÒUÙaàeèiìoòuùÜǛüǜNǸnǹЕЀИЍеѐиѝĒḔēḕŌṐōṑWẀwẁÂẦâầĂẰăằÊỀêềÔỒôồƠỜơờƯỪưừYỲyỳἀἂἁἃἈἊἉἋἐἒ"
     U"ἑἓἘἚἙἛἠἢἡἣἨἪἩἫἰἲἱἳἸἺἹἻὀὂὁὃὈὊὉὋὐὒὑὓὙὛὠὢὡὣὨὪὩὫαὰεὲηὴιὶοὸυὺωὼΑᾺΕῈΗῊ᾿῍ϊῒΙῚ῾῝ϋῢΥῪ¨῭ΟῸΩῺ"},
    {0x0301, 230, U"AÁEÉIÍOÓUÚYÝaáeéiíoóuúyýCĆcćLĹlĺNŃnńRŔrŕSŚsśZŹzźÜǗüǘGǴgǵÅǺåǻÆǼæǽØǾøǿ¨΅ΑΆΕΈΗΉΙΊΟΌΥΎΩΏϊΐ"
     U"αάεέηήιίϋΰοόυύωώϒϓГЃКЌгѓкќÇḈçḉĒḖēḗÏḮïḯKḰkḱMḾmḿÕṌõṍŌṒōṓPṔpṕŨṸũṹWẂwẃÂẤâấĂẮăắÊẾêếÔỐôốƠỚơớƯỨưứἀἄἁἅἈἌἉἍἐἔ"
     U"ἑἕἘἜἙἝἠἤἡἥἨἬἩἭἰἴἱἵἸἼἹἽὀὄὁὅὈὌὉὍὐὔὑὕὙὝὠὤὡὥὨὬὩὭ᾿῎῾῞"},
    {0x0302, 230, U"AÂEÊIÎOÔUÛaâeêiîoôuûCĈcĉGĜgĝHĤhĥJĴjĵSŜsŝWŴwŵYŶyŷZẐzẑẠẬạậẸỆẹệỌỘọộ"},
    {0x0303, 230, U"AÃNÑOÕaãnñoõIĨiĩUŨuũVṼvṽÂẪâẫĂẴăẵEẼeẽÊỄêễÔỖôỗƠỠơỡƯỮưữYỸyỹ"},
    {0x0304, 230, U"AĀaāEĒeēIĪiīOŌoōUŪuūÜǕüǖÄǞäǟȦǠȧǡÆǢæǣǪǬǫǭÖȪöȫÕȬõȭȮȰȯȱYȲyȳИӢиӣУӮуӯGḠgḡḶḸḷḹṚṜṛṝαᾱΑᾹιῑΙῙυῡ"
     U"ΥῩ"},
    {0x0306, 230, U"AĂaăEĔeĕGĞgğIĬiĭOŎoŏUŬuŭУЎИЙийуўЖӁжӂАӐаӑЕӖеӗȨḜȩḝẠẶạặαᾰΑᾸιῐΙῘυῠΥῨ"},
    {0x0307, 230, U"CĊcċEĖeėGĠgġIİZŻzżAȦaȧOȮoȯBḂbḃDḊdḋFḞfḟHḢhḣMṀmṁNṄnṅPṖpṗRṘrṙSṠsṡŚṤśṥŠṦšṧṢṨṣṩTṪtṫWẆwẇXẊxẋ"
     U"YẎyẏſẛ"},
    {0x0308, 230, U"AÄEËIÏOÖUÜaäeëiïoöuüyÿYŸΙΪΥΫιϊυϋϒϔЕЁІЇеёіїАӒаӓӘӚәӛЖӜжӝЗӞзӟИӤиӥОӦоӧӨӪөӫЭӬэӭУӰуӱЧӴчӵЫӸыӹ"
     U"HḦhḧÕṎõṏŪṺūṻWẄwẅXẌxẍtẗ"},
    {0x0309, 230, U"AẢaảÂẨâẩĂẲăẳEẺeẻÊỂêểIỈiỉOỎoỏÔỔôổƠỞơởUỦuủƯỬưửYỶyỷ"},
    {0x030a, 230, U"AÅaåUŮuůwẘyẙ"},
    {0x030b, 230, U"OŐoőUŰuűУӲуӳ"},
    {0x030c, 230, U"CČcčDĎdďEĚeěLĽlľNŇnňRŘrřSŠsšTŤtťZŽzžAǍaǎIǏiǐOǑoǒUǓuǔÜǙüǚGǦgǧKǨkǩƷǮʒǯjǰHȞhȟ"},
    {0x030f, 230, U"AȀaȁEȄeȅIȈiȉOȌoȍRȐrȑUȔuȕѴѶѵѷ"},
    {0x0311, 230, U"AȂaȃEȆeȇIȊiȋOȎoȏRȒrȓUȖuȗ"},
    {0x0313, 230, U"αἀΑἈεἐΕἘηἠΗἨιἰΙἸοὀΟὈυὐωὠΩὨρῤ"},
    {0x0314, 230, U"αἁΑἉεἑΕἙηἡΗἩιἱΙἹοὁΟὉυὑΥὙωὡΩὩρῥΡῬ"},
    {0x0342, 230, U"ἀἆἁἇἈἎἉἏἠἦἡἧἨἮἩἯἰἶἱἷἸἾἹἿὐὖὑὗὙὟὠὦὡὧὨὮὩὯαᾶ¨῁ηῆ᾿῏ιῖϊῗ῾῟υῦϋῧωῶ"},
    {0x0345, 240, U"ἀᾀἁᾁἂᾂἃᾃἄᾄἅᾅἆᾆἇᾇἈᾈἉᾉἊᾊἋᾋἌᾌἍᾍἎᾎἏᾏἠᾐἡᾑἢᾒἣᾓἤᾔἥᾕἦᾖἧᾗἨᾘἩᾙἪᾚἫᾛἬᾜἭᾝἮᾞἯᾟὠᾠὡᾡὢᾢὣᾣὤᾤὥᾥὦᾦὧᾧὨᾨὩᾩὪᾪ"
     U"ὫᾫὬᾬὭᾭὮᾮὯᾯὰᾲαᾳάᾴᾶᾷΑᾼὴῂηῃήῄῆῇΗῌὼῲωῳώῴῶῷΩῼ"},
    {0, 0, U"ʹʹ;;··άάέέήήίίόόύύώώΆΆιιΈΈΉΉΐΐΊΊΰΰΎΎ΅΅``ΌΌΏΏ´´ΩΩKKÅÅ"}};
// clang-format on

using Pair = std::pair<char32_t, char32_t>;
struct Tables {
  std::map<char32_t, Pair> parts;  ///< of a letter
  std::map<Pair, char32_t> whole;
  std::map<char32_t, int> order;  ///< of a mark
  Tables() {
    for (const Marked& row : rows)
      for (const char32_t* p = row.pairs; *p != 0; p += 2) {
        parts[p[1]] = {p[0], row.mark};
        if (row.mark == 0) continue;
        whole[{p[0], row.mark}] = p[1];
        order[row.mark] = row.order;
      }
  }
};

// Hangul: first consonants, vowels, last consonants, and the syllables of all three in order.
constexpr char32_t lead = 0x1100, vowel = 0x1161, tail = 0x11a7, syllable = 0xac00;
constexpr char32_t leads = 19, vowels = 21, tails = 28;
bool is_of(char32_t c, char32_t first, char32_t count) { return c >= first && c < first + count; }

void take_apart(const Tables& t, char32_t c, std::u32string& into) {
  if (is_of(c, syllable, leads * vowels * tails)) {
    const char32_t k = c - syllable;
    into += {lead + k / (vowels * tails), vowel + k / tails % vowels};
    if (k % tails != 0) into += tail + k % tails;
  } else if (const auto at = t.parts.find(c); at != t.parts.end()) {
    take_apart(t, at->second.first, into);
    if (at->second.second != 0) into += at->second.second;
  } else {
    into += c;
  }
}

/// 0: none.
char32_t put_together(const Tables& t, char32_t a, char32_t b) {
  if (is_of(a, lead, leads) && is_of(b, vowel, vowels))
    return syllable + ((a - lead) * vowels + (b - vowel)) * tails;
  if (is_of(a, syllable, leads * vowels * tails) && (a - syllable) % tails == 0 &&
      is_of(b, tail + 1, tails - 1))
    return a + (b - tail);
  const auto at = t.whole.find({a, b});
  return at == t.whole.end() ? 0 : at->second;
}

}  // namespace

std::string composed(const std::string& text) {
  if (std::all_of(text.begin(), text.end(), [](char c) { return (c & 0x80) == 0; })) return text;
  static const Tables t;
  const auto order = [](char32_t c) {
    const auto at = t.order.find(c);
    return at == t.order.end() ? 0 : at->second;
  };
  std::u32string apart, whole;
  for (std::size_t k = 0, size = 0; k < text.size(); k += size) {
    const auto first = static_cast<unsigned char>(text[k]);
    size = shown_bytes(std::string_view(text).substr(k));
    if (size == 0) return text;  // bytes that are none
    char32_t c = size == 1 ? first : first & (0x7fu >> size);
    for (std::size_t b = 1; b < size; ++b) c = c << 6 | (static_cast<unsigned char>(text[k + b]) & 0x3fu);
    take_apart(t, c, apart);
  }
  for (auto from = apart.begin(); from != apart.end();) {
    const auto to = std::find_if(from, apart.end(), [&](char32_t c) { return order(c) == 0; });
    std::stable_sort(from, to, [&](char32_t a, char32_t b) { return order(a) < order(b); });
    from = to == apart.end() ? to : to + 1;
  }
  std::size_t letter = 0;  // that marks belong to
  for (const char32_t c : apart) {
    const bool next = !whole.empty() && (letter + 1 == whole.size() || order(whole.back()) < order(c));
    if (const char32_t both = next ? put_together(t, whole[letter], c) : 0; both != 0) {
      whole[letter] = both;
      continue;
    }
    if (order(c) == 0) letter = whole.size();
    whole += c;
  }
  std::string bytes;
  for (const char32_t c : whole) {
    if (c < 0x80) {
      bytes += char(c);
      continue;
    }
    const int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    bytes += char("\0\xc0\xe0\xf0"[more] | char(c >> (6 * more)));
    for (int k = more; k-- > 0;) bytes += char(0x80 | (c >> (6 * k) & 0x3f));
  }
  return bytes;
}

}  // namespace parity::runtime
