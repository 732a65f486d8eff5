// SPDX-License-Identifier: BSD-3-Clause
// CSV files as users have them, and one column of numbers read from them.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "io/column_file.hpp"
#include "io/csv.hpp"
#include "runtime/error.hpp"

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

TEST(Csv, BlankCellsStay) {
  EXPECT_EQ(rows_of("a,,c\n,,\n"), (Rows{{"a", "", "c"}, {"", "", ""}}));
  EXPECT_EQ(rows_of("a;\n"), (Rows{{"a", ""}}));
}

TEST(Csv, CommentsBlankLinesLineEndsAndTheByteOrderMark) {
  EXPECT_EQ(rows_of("\xef\xbb\xbf# made by hand\r\n\r\na,b\r\n \t\r\n1,2\r\n#3,4\r\n5,6"),
            (Rows{{"a", "b"}, {"1", "2"}, {"5", "6"}}));
  EXPECT_EQ(rows_of("\xef\xbb\xbf\"a\"\n"), (Rows{{"a"}}));
  EXPECT_EQ(rows_of("1\r"), (Rows{{"1"}}));
  EXPECT_EQ(rows_of(""), Rows{});
  EXPECT_EQ(rows_of("\n\n# nothing"), Rows{});
}

TEST(Csv, LinesAreCountedAsAnEditorDoes) {
  CsvReader reader("t.csv", "# one\n\n\"a\nb\",c\r\nd,e\n");
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(reader.line(), 3);
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(reader.line(), 5);
  EXPECT_FALSE(reader.next());
}

TEST(Csv, BrokenRowsAreRefusedWithFileAndLine) {
  EXPECT_EQ(refusal_of("a,b\n1,2\n3\n"), "t.csv: line 3 has 1 columns where the first has 2");
  EXPECT_EQ(refusal_of("a,b\n1,2,\n"), "t.csv: line 2 has 3 columns where the first has 2");
  EXPECT_EQ(refusal_of("a,b\n\n\"1,2\n"), "t.csv: line 3: a quote is never closed");
  EXPECT_NE(refusal_of("a,b\n\"1\"x,2\n").find("t.csv: line 2: text after a closing quote"),
            std::string::npos);
  EXPECT_NE(refusal_of("\"a\"\"b\" \"c\"d\n").find("line 1: text after"), std::string::npos);
}

class Column : public testing::Test {
 protected:
  void SetUp() override { path_ = testing::TempDir() + "parity_" + std::to_string(getpid()) + ".csv"; }
  void TearDown() override { std::remove(path_.c_str()); }
  std::vector<double> read(const std::string& text, const std::string& column) {
    std::ofstream(path_, std::ios::binary) << text;
    return io::read_column(path_, column, "samples");
  }
  std::string refusal(const std::string& text, const std::string& column) {
    try {
      read(text, column);
    } catch (const runtime::UsageError& e) {
      const std::string what = e.what();
      return what.rfind(path_ + ": ", 0) == 0 ? what.substr(path_.size() + 2) : what;
    }
    return "none";
  }
  std::string path_;
};

TEST_F(Column, AQuotedSeparatorMovesNoOtherColumn) {
  EXPECT_EQ(read("note,value\n\"1,5\",2\n", "value"), std::vector<double>{2});
  EXPECT_EQ(read("\"note, long\",value\n\"1,5\",\"2.5\"\n", "value"), std::vector<double>{2.5});
  EXPECT_EQ(refusal("note,value\n\"1,5\",2\n", "note"),
            "line 2: '1,5' is no finite number; remove the line or fill it first");
}

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

TEST_F(Column, RaggedRowsAreRefusedEvenWhereTheCellIsThere) {
  EXPECT_EQ(refusal("a,b\n1,2\n3\n", "a"), "line 3 has 1 columns where the first has 2");
  EXPECT_EQ(refusal("a,b\n1,2,3\n", "a"), "line 2 has 3 columns where the first has 2");
}

}  // namespace
}  // namespace parity
