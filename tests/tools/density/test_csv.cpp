// SPDX-License-Identifier: BSD-3-Clause
// CSV files as users have them, and reading one column of numbers.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "runtime/error.hpp"
#include "runtime/text.hpp"
#include "tools/density/column_file.hpp"
#include "tools/density/csv.hpp"
#include "tools/names.hpp"

namespace parity {
namespace {

using io::CsvReader;
using Rows = std::vector<std::vector<std::string>>;

Rows rows_of(const std::string& text) {
  CsvReader reader("t.csv", text);
  Rows rows;
  while (reader.next()) rows.push_back(reader.cells());
  return rows;
}

std::string refusal_of(const std::string& text) {
  try {
    rows_of(text);
  } catch (const runtime::UsageError& e) {
    return e.what();
  }
  return "none";
}

TEST(Csv, QuotedCellsHoldSeparatorsQuotesAndLines) {
  EXPECT_EQ(rows_of("\"1,5\",2\n"), (Rows{{"1,5", "2"}}));
  EXPECT_EQ(rows_of("\"say \"\"so\"\"\",b\n"), (Rows{{"say \"so\"", "b"}}));
  EXPECT_EQ(rows_of("\"two\nlines\",b\nc,d\n"), (Rows{{"two\nlines", "b"}, {"c", "d"}}));
  EXPECT_EQ(rows_of("\"\",\" a \"\n"), (Rows{{"", " a "}}));
  EXPECT_EQ(rows_of("  \"a\"\t,  \"b\"  \n"), (Rows{{"a", "b"}}));
  EXPECT_EQ(rows_of("a\"b,c\n"), (Rows{{"a\"b", "c"}}));  // a quote inside of a plain cell is a character
}

TEST(Csv, TheFirstRowDecidesTheSeparator) {
  EXPECT_EQ(rows_of("a;b\n1,5;2\n"), (Rows{{"a", "b"}, {"1,5", "2"}}));
  EXPECT_EQ(rows_of("\"a,b\";c\n"), (Rows{{"a,b", "c"}}));
  EXPECT_EQ(rows_of("\"a\"\",b\";\"c,d\"\n"), (Rows{{"a\",b", "c,d"}}));
  EXPECT_EQ(rows_of("a\tb c\td\n"), (Rows{{"a", "b c", "d"}}));
  EXPECT_EQ(rows_of("\ta\t\n"), (Rows{{"", "a", ""}}));
  EXPECT_EQ(rows_of("  a   b  c  \n1 2 3"), (Rows{{"a", "b", "c"}, {"1", "2", "3"}}));
  EXPECT_EQ(rows_of("\"a b\" c\n"), (Rows{{"a b", "c"}}));
  EXPECT_EQ(rows_of("a, b ,c\n"), (Rows{{"a", "b", "c"}}));
}

TEST(Csv, WhereTwoMaySeparateNeitherIsGuessed) {
  for (const char* row : {"Price, net;Volume\n", "a;b,c\n", "1.5;2.5,3\n", "\"a\";\"b\",c\n"})
    EXPECT_EQ(
        refusal_of(row),
        "t.csv: line 1: holds commas and semicolons; add a first line 'sep=,' or 'sep=;' that says which "
        "separate")
        << row;
  for (const char* row : {"Price, net\tVolume\n", "\ta, b\n", "1,5a\t\n"})
    EXPECT_NE(refusal_of(row).find("holds commas and tabs; add a first line 'sep=,' or 'sep=<tab>'"),
              std::string::npos)
        << row;
  EXPECT_NE(refusal_of("a;b\tc\n").find("holds semicolons and tabs"), std::string::npos);
  EXPECT_NE(
      refusal_of("1 2\t3\n").find("holds tabs and spaces; add a first line 'sep=<tab>' or 'sep=<space>'"),
      std::string::npos);
  EXPECT_EQ(rows_of("a b\tc\n"), (Rows{{"a b", "c"}}));
  EXPECT_EQ(rows_of("1\t 2 \t3\n"), (Rows{{"1", "2", "3"}}));
  // Tabs next to a separator are spaces around its cells.
  EXPECT_EQ(rows_of("a,\tb \t , c\n"), (Rows{{"a", "b", "c"}}));
  EXPECT_EQ(rows_of("a;\tb\n"), (Rows{{"a", "b"}}));
  // Quoted separators are part of a cell.
  EXPECT_EQ(rows_of("a,\"b;c\",\"d\te\"\n"), (Rows{{"a", "b;c", "d\te"}}));
  EXPECT_EQ(rows_of("\"Price, net\";Volume\n"), (Rows{{"Price, net", "Volume"}}));
  // A first line can name the separator.
  EXPECT_EQ(rows_of("sep=;\nPrice, net;Volume\n1,5;2\n"), (Rows{{"Price, net", "Volume"}, {"1,5", "2"}}));
  EXPECT_EQ(rows_of("SEP=,\nPrice;net,Volume\n"), (Rows{{"Price;net", "Volume"}}));
  EXPECT_EQ(rows_of("sep=\t\n1 2\t3,5\n"), (Rows{{"1 2", "3,5"}}));
  EXPECT_EQ(rows_of("sep= \n1 2\t3,5\n"), (Rows{{"1", "2", "3,5"}}));
  EXPECT_EQ(rows_of("sep=;b\n1;2\n"), (Rows{{"sep=", "b"}, {"1", "2"}}));  // just a column name
}

TEST(Csv, BlankCellsStay) {
  EXPECT_EQ(rows_of("a,,c\n,,\n"), (Rows{{"a", "", "c"}, {"", "", ""}}));
  EXPECT_EQ(rows_of("a;\n"), (Rows{{"a", ""}}));
  EXPECT_EQ(rows_of("a\tb\n\t\n \n"),
            (Rows{{"a", "b"}, {"", ""}}));  // tabs are not blanks where they separate
}

TEST(Csv, ErrorValuesOfSpreadsheetsAreNoComments) {
  for (const char* cell : {"#N/A", "#n/a", "#NV", "#DIV/0!", "#NUM!", "#VALUE!", "#REF!", "#NAME?", "#NULL!",
                           "#WERT!", "#SPILL!"}) {
    const std::string value = cell;
    EXPECT_EQ(rows_of("a,b\n" + value + ",1\n"), (Rows{{"a", "b"}, {value, "1"}}));
    EXPECT_EQ(rows_of(value + ";1\n" + value + " ;1"), (Rows{{value, "1"}, {value, "1"}}));
    EXPECT_EQ(rows_of("a b\n" + value + " 1\n"), (Rows{{"a", "b"}, {value, "1"}}));
    EXPECT_EQ(rows_of("a\n" + value + "\r\n" + value), (Rows{{"a"}, {value}, {value}}));
  }
  for (const char* comment : {"#", "#!", "# N/A", "#N/As", "#NAME", "#Really?", "#VALUE!s", "#3,4"})
    EXPECT_EQ(rows_of("a\n" + std::string(comment) + "\n1\n"), (Rows{{"a"}, {"1"}})) << comment;
}

TEST(Csv, CommentsBlankLinesLineEndsAndTheByteOrderMark) {
  EXPECT_EQ(rows_of("\xef\xbb\xbf# made by hand\r\n\r\na,b\r\n \t\r\n1,2\r\n#3,4\r\n5,6"),
            (Rows{{"a", "b"}, {"1", "2"}, {"5", "6"}}));
  EXPECT_EQ(rows_of("\xef\xbb\xbf\"a\"\n"), (Rows{{"a"}}));
  EXPECT_EQ(rows_of("1\r"), (Rows{{"1"}}));
  EXPECT_EQ(rows_of("a;b\r1;2\r\r# old\r3;4\r"), (Rows{{"a", "b"}, {"1", "2"}, {"3", "4"}}));  // only CR
  EXPECT_EQ(rows_of(""), Rows{});
  EXPECT_EQ(rows_of("\n\n# nothing"), Rows{});
}

TEST(Csv, BrokenRowsAreRefusedWithFileAndLine) {
  EXPECT_EQ(refusal_of("a,b\n1,2\n3\n"), "t.csv: line 3 has 1 columns where the first has 2");
  EXPECT_EQ(refusal_of("sep=,\n# one\n\n\"a\nb\",c\nd\n"),
            "t.csv: line 6 has 1 columns where the first has 2");
  EXPECT_EQ(refusal_of("a,b\n1,2,\n"), "t.csv: line 2 has 3 columns where the first has 2");
  EXPECT_EQ(refusal_of("a,b\n\n\"1,2\n"), "t.csv: line 3: a quote is never closed");
  EXPECT_NE(refusal_of("a,b\n\"1\"x,2\n").find("t.csv: line 2: text after a closing quote"),
            std::string::npos);
  EXPECT_NE(refusal_of("\"a\"\"b\" \"c\"d\n").find("line 1: text after"), std::string::npos);
}

TEST(Csv, AMillionCellsInALineAreRefused) {
  std::string line;
  for (int i = 0; i < 200000; ++i) line += "1,";
  EXPECT_EQ(refusal_of(line), "t.csv: line 1 has more than 100000 columns; write one sample a line");
}

TEST(Csv, OtherTextsAndDecimalCommasAreRefusedByName) {
  EXPECT_EQ(refusal_of(std::string("\xff\xfe\x31\0\n\0", 6)),
            "t.csv: is UTF-16 or UTF-32 text; save it as UTF-8");
  for (const char* row : {"1,5;2,5\n", "-1,5e3\t2\n", "1,5 2,25\n", "1,5;2,5\r"})
    EXPECT_NE(refusal_of(row).find("has a decimal comma; write decimal points"), std::string::npos) << row;
  for (const char* row :
       {"2020-01-01;2,5\n", "01.02.2020 10:00;2,5\n", "name;2,5\n", "name\t2,5\n", "name 2,5\n"})
    EXPECT_EQ(
        refusal_of(row),
        "t.csv: line 1: '2,5' has a decimal comma; write decimal points, or add a first line 'sep=,' if "
        "commas separate")
        << row;
  EXPECT_NE(refusal_of("Price, net Volume\n1,5 2\n").find("line 2: '1,5' has a decimal comma"),
            std::string::npos);
  EXPECT_EQ(rows_of("sep=,\nname 2,5\n1 2,3\n"), (Rows{{"name 2", "5"}, {"1 2", "3"}}));
  EXPECT_EQ(rows_of("2020-01-01 10:00,2\n"), (Rows{{"2020-01-01 10:00", "2"}}));
  EXPECT_EQ(rows_of("name,n\nStation 4,17\n"), (Rows{{"name", "n"}, {"Station 4", "17"}}));
  EXPECT_EQ(rows_of("Station 4,17.5\n"), (Rows{{"Station 4", "17.5"}}));
  EXPECT_EQ(rows_of("1, 2,5\n"), (Rows{{"1", "2", "5"}}));
  EXPECT_EQ(rows_of("1,5\n"), (Rows{{"1", "5"}}));  // two columns as well as one number
}

class Column : public testing::Test {
 protected:
  void SetUp() override { path_ = testing::TempDir() + "parity_" + std::to_string(getpid()) + ".csv"; }
  void TearDown() override { std::remove(path_.c_str()); }
  std::vector<double> read(const std::string& text, const std::string& column,
                           io::FirstRow first_row = io::FirstRow::unknown) {
    std::ofstream(path_, std::ios::binary) << text;
    const auto numbers =
        io::read_column(path_, column, "samples", "--column", nullptr, {}, &of_column_, {}, first_row);
    return {numbers.begin(), numbers.end()};
  }
  std::string refusal(const std::string& text, const std::string& column,
                      io::FirstRow first_row = io::FirstRow::unknown) {
    try {
      read(text, column, first_row);
    } catch (const runtime::UsageError& e) {
      const std::string what = e.what();
      return what.rfind(path_ + ": ", 0) == 0 ? what.substr(path_.size() + 2) : what;
    }
    return "none";
  }
  std::string path_, of_column_;
};

TEST_F(Column, ByNameByNumberAndAlone) {
  EXPECT_EQ(read("a;b\n1;2\n+3;4e1\n", "b"), (std::vector<double>{2, 40}));
  EXPECT_EQ(read("1 2\n3 4\n", "2"), (std::vector<double>{2, 4}));
  EXPECT_EQ(read("\xef\xbb\xbfx\r\n\"1\"\r\n2\r\n", ""), (std::vector<double>{1, 2}));
  EXPECT_EQ(read("\xef\xbb\xbfx,y\n1,2\n", "x"), std::vector<double>{1});
  EXPECT_NE(refusal("a,b\n1,2\n", "").find("--column"), std::string::npos);
}

TEST_F(Column, BlankCellsAreRefusedWhereTheyAreWanted) {
  const std::string text = "a,b\n1,2\n,4\n";
  EXPECT_EQ(refusal(text, "a"), "line 3: its cell 1 is blank; remove the line or fill it first");
  EXPECT_EQ(read(text, "b"), (std::vector<double>{2, 4}));
  EXPECT_EQ(refusal("a\n1\n\"\"\n", ""), "line 3: its cell 1 is blank; remove the line or fill it first");
}

TEST_F(Column, HeadersOfNumbers) {
  using io::FirstRow;
  const std::vector<double> rows = {1.5, 2.5};
  const std::string years = "station,2019,2020\nA,1.5,0\nB,2.5,1\n", only = "2019,2020\n1.5,3\n2.5,4\n";
  EXPECT_EQ(read(years, "2019"), rows) << "found by name";
  EXPECT_EQ(of_column_, " of column '2019'");
  EXPECT_EQ(read(only, "2019"), rows);
  EXPECT_EQ(read("day,inf,rec\n1,1.5,2\n2,2.5,2\n", "inf"), rows);
  EXPECT_NE(refusal(years, "2").find("say which with --header or --no-header"), std::string::npos);
  EXPECT_EQ(read(years, "2", FirstRow::header), rows);
  for (const char* text : {"station,2019,2020\nA,1,2\nB,3,4\n", "station,2019\nA,7\n",
                           "s,2019,2020\nA,1850,1900\n", "s,1,2,3\nA,5,9,7\n", "station,2019\nA,NA\n"})
    EXPECT_NE(refusal(text, "2").find("say which with --header or --no-header"), std::string::npos) << text;
  EXPECT_EQ(read("A,2019\nB,2022\n", "2"), (std::vector<double>{2019, 2022})) << "years as samples";
  EXPECT_EQ(read(years, "2", FirstRow::numbers), (std::vector<double>{2019, 1.5, 2.5}));
  EXPECT_EQ(of_column_, " (the first row counts as one)");
  EXPECT_EQ(read(only, "1", FirstRow::header), rows);
  EXPECT_EQ(read("0\n1.5\n2.5\n", "", FirstRow::header), rows) << "a series of pandas";
  EXPECT_NE(refusal("0\n1.5\n2.5\n", "").find("say which with --header or --no-header"), std::string::npos);
  EXPECT_EQ(read("0\n1.5\n2\n", ""), (std::vector<double>{0, 1.5, 2})) << "pandas writes 2.0";
  EXPECT_EQ(read("\"0\"\n1.5\n2.5\n", ""), rows);
  // Quotes mark a header that has numbers, unless all rows have quotes.
  for (const char* text : {"\"2019\"\n1.5\n2.5\n", "\"2019\",\"2020\"\n1.5,3\n2.5,4\n",
                           "\"\",\"1\",\"2\"\n\"a\",1.5,3\n\"b\",2.5,4\n"})
    EXPECT_EQ(read(text, std::string_view(text).find(',') < 9 ? "1" : ""), rows) << text;
  EXPECT_EQ(read("\"1\"\n\"2\"\n", ""), (std::vector<double>{1, 2}));
  // A number that is a valid column number is one, even if the first row contains it as a name.
  EXPECT_EQ(read("2,7\n3,8\n", "2"), (std::vector<double>{7, 8}));
  EXPECT_NE(refusal("v\n1.5\n", "", FirstRow::numbers).find("'v' is no number"), std::string::npos);
  EXPECT_NE(refusal(only, "2021").find("has no column '2021'"), std::string::npos);
  EXPECT_EQ(refusal("2019,x\n", "2019"), "holds no samples");
}

/// If it counted as a header, the first sample would be lost silently.
TEST_F(Column, AFirstSampleInAnotherNotationIsNoHeader) {
  std::istringstream cells(
      "1_000 \"1,234.5\" $5 10% 1'000 1.234.567 2020-01-31 12:30 1d5 0x10 NA n/a null - . 5\xe2\x82\xac 1e "
      "1.5f 12kg -3x .5m $5k 2m 850hPa 2d6e 1.#INF N.A. #DIV/0! #N/A");
  for (std::string cell; cells >> cell;) {
    const std::string text = cell + "\n1\n2\n";
    EXPECT_NE(refusal(text, "").find("line 1: '"), std::string::npos) << cell;
    EXPECT_NE(refusal(text, "1").find("line 1: '"), std::string::npos) << cell;
  }
  EXPECT_EQ(refusal("\"\"\n1\n", ""), "line 1: its cell 1 is blank; remove the line or fill it first");
  EXPECT_EQ(refusal("\"1,5\"\n1\n", ""), "line 1: '1,5' has a decimal comma; write decimal points");
  EXPECT_EQ(
      refusal("10%\n1\n", ""),
      "line 1: '10%' is no number as it stands; write it as one or remove the line, or give --column '10%' "
      "if that is the column's name");
  EXPECT_EQ(read("10%,x\n1,2\n3,4\n", "10%"), (std::vector<double>{1, 3}));
}

TEST_F(Column, NamesOfColumnsMayHoldDigitsAndAnyLetters) {
  std::istringstream names(
      "t2m x_1 \xc2\xb5"
      "1 \xe6\xb8\xa9 temp\xe9rature2 \xce\xa9"
      "2 \xe2\x84\xa6"
      "2 missing O.5");
  for (std::string name; names >> name;) {
    EXPECT_EQ(read(name + "\n1\n2\n", ""), (std::vector<double>{1, 2})) << name;
    EXPECT_EQ(of_column_, " of column '" + runtime::shown(tools::composed(name)) + "'");
  }
  for (const char* name : {"2m", "850hPa", "2d6e"})  // the user says that it is a header
    EXPECT_EQ(read(std::string(name) + "\n1\n2\n", name), (std::vector<double>{1, 2})) << name;
  EXPECT_EQ(of_column_, " of column '2d6e'");
  EXPECT_EQ(read("1\n2\n", ""), (std::vector<double>{1, 2}));
  EXPECT_EQ(of_column_, " (the first row counts as one)");
  EXPECT_EQ(read(",a\n0,5\n1,6\n", "1"), (std::vector<double>{0, 1}));  // an index without a name
}

TEST_F(Column, NumbersOfColumnsBeginWithOne) {
  EXPECT_EQ(refusal("a,b\n1,2\n", "0"), "has no column '0' (--column); its columns are 1 to 2: a b");
  EXPECT_EQ(refusal("a,b\n1,2\n", "3"), "has no column '3' (--column); its columns are 1 to 2: a b");
}

TEST_F(Column, ANameThatStandsTwiceIsNotGuessed) {
  EXPECT_NE(refusal("a,b,a\n1,2,3\n", "a").find("has 2 columns 'a'"), std::string::npos);
  EXPECT_EQ(read("a,b,a\n1,2,3\n", "3"), std::vector<double>{3});
}

TEST_F(Column, NumbersBeyondTheTypeAreRefusedAndTinyOnesKept) {
  EXPECT_NE(refusal("1e999\n", "").find("'1e999' is no finite number"), std::string::npos);
  EXPECT_NE(refusal("1\ninf\n", "").find("line 2: 'inf'"), std::string::npos);
  EXPECT_NE(refusal("1\n2\n3\nnan\n", "").find("line 4: 'nan'"), std::string::npos);
  EXPECT_EQ(read("1e-999\n3e-310\n", ""), (std::vector<double>{0, 3e-310}));
  EXPECT_NE(refusal("1\n+-2\n", "").find("line 2"), std::string::npos);
}

/// Rows that threads read in parallel, with every feature of a simple row.
TEST_F(Column, ManyRowsAreReadAsFewAre) {
  for (const char separator : {',', ';', '\t', ' '})
    for (const bool quoted : {false, true}) {
      std::string text = std::string("n") + separator + "value\n";
      std::vector<double> expected;
      for (int i = 0; i < 200000; ++i) {
        const double value = (i * 7919 % 100003) / 64.0 - 700;
        expected.push_back(value);
        if (i % 1000 == 7)
          text += i % 2000 == 7 ? "# a comment, \"or\tmore;\n" : separator == '\t' ? "  \r\n" : " \t\r\n";
        text +=
            std::to_string(i) + separator + (i % 5 == 0 ? "  " : "") + (i % 3 == 0 && value >= 0 ? "+" : "");
        text += std::to_string(value) + (i % 4 == 0 ? " " : "") + (i % 11 == 0 ? "\r\n" : "\n");
      }
      if (!quoted) text.erase(std::remove(text.begin(), text.end(), '"'), text.end());
      ASSERT_GT(text.size(), 3u << 20);
      EXPECT_EQ(read(text, "value"), expected) << separator << quoted;
      EXPECT_EQ(refusal(text + "7" + separator + "x\n", "value"),
                "line " + std::to_string(200000 + 200 + 2) +
                    ": 'x' is no number; write it as one or remove the line");
      EXPECT_EQ(refusal(text + "7\n", "value"), "line " + std::to_string(200000 + 200 + 2) +
                                                    " has 1 columns where the first has 2" +
                                                    (separator == ' ' ? " (blanks separate them)" : ""));
    }
}

}  // namespace
}  // namespace parity
