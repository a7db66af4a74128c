package dev.bascule.study.compare;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class FigureTextTest {
    @Test
    void timesHaveAUnitThatFits() {
        assertThat(FigureText.micros(0.1)).isEqualTo("0.1 us");
        assertThat(FigureText.micros(200)).isEqualTo("200 us");
        assertThat(FigureText.micros(20_500)).isEqualTo("20.5 ms");
        assertThat(FigureText.micros(2e6)).isEqualTo("2.00 s");
        assertThat(FigureText.micros(Double.NaN)).isEqualTo("an unknown time");
    }

    @Test
    void aRatioNearOneIsNoDifference() {
        assertThat(FigureText.times(1.05, 1)).isEqualTo("about the same as");
        assertThat(FigureText.times(2, 1)).isEqualTo("2.00 times");
        assertThat(FigureText.times(1, 0)).isEqualTo("not comparable with");
    }

    @Test
    void aTrendIsNamedByItsFigures() {
        assertThat(FigureText.went(1, 5)).isEqualTo("rose from 1.00 to 5.00");
        assertThat(FigureText.went(5, 1)).isEqualTo("fell from 5.00 to 1.00");
        assertThat(FigureText.went(5, 5.1)).isEqualTo("stayed at about 5.10");
        assertThat(FigureText.went(0, 0)).isEqualTo("stayed at about 0");
        assertThat(FigureText.went(0, 3)).isEqualTo("rose from 0 to 3.00");
        assertThat(FigureText.went(Double.NaN, 1)).isEqualTo("is unknown");
    }

    @Test
    void aListNamesEachItem() {
        assertThat(FigureText.each(List.of("a", "bb"), name -> name, String::length, FigureText::number))
                .isEqualTo("1.00 over a, 2.00 over bb");
    }
}
